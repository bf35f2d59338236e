import { LRUCache } from 'lru-cache'

/** A store of play queues, bookmarks, ratings and plays: strings by key. */
export interface SubsonicStore {
  get: (key: string) => Promise<string | null | undefined>
  /** Atomically replaces a string by the result of a function, across all replicas. `undefined` deletes the key. */
  change: (key: string, update: (text: string | null | undefined) => string | undefined) => Promise<void>
}

/** The maximum size of the strings in memory, in bytes. */
const mostBytes = 2 ** 26

/** Creates a store in memory. It is lost on restart, and evicts the least recently used strings when it is full. */
export function memoryStore (): SubsonicStore {
  const kept = new LRUCache<string, string>({
    maxSize: mostBytes, sizeCalculation: (text, key) => 2 * (text.length + key.length) + 200
  })
  return {
    get: async key => kept.get(key),
    change: async (key, update) => {
      const text = update(kept.get(key))
      if (text === undefined) kept.delete(key)
      else kept.set(key, text)
    }
  }
}
