import { LRUCache } from 'lru-cache'

/** Where play queues, bookmarks, ratings and plays are kept: texts by key. */
export interface SubsonicStore {
  get: (key: string) => Promise<string | null | undefined>
  /**
   * Replaces a text by what a function makes of it, with no other change of the key in between, on other replicas
   * neither. `undefined` is no text.
   */
  change: (key: string, update: (text: string | null | undefined) => string | undefined) => Promise<void>
}

/** Bytes of the texts that are kept in memory. */
const mostBytes = 2 ** 26

/** A store that forgets everything on restart, and what was not used for longest where there is no room. */
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
