/**
 * Returns options of an LRU cache with a maximum number of entries that grows with them. The option `max` would
 * allocate memory for all entries at once.
 */
export const lruOptions = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 })
