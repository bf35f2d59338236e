/**
 * Options of an LRU cache of so many entries, which takes room for what it holds only: with `max` it takes at once the
 * room of all of them.
 */
export const atMost = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 })
