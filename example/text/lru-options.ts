/** Returns options of an LRU cache with at most `most` entries. `max` would allocate memory for all of them at once. */
export const lruOptions = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 })
