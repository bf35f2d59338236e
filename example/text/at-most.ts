/** Options of an LRU cache of at most so many entries that grows with them: `max` allocates room for all at once. */
export const atMost = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 })
