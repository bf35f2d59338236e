import { LRUCache } from 'lru-cache'

/** Where play queues, bookmarks, ratings and plays are kept: texts by key. */
export interface SubsonicStore {
  get: (key: string) => Promise<string | undefined>
  /** `undefined` forgets the key. */
  set: (key: string, value: string | undefined) => Promise<void>
}

/**
 * A store that forgets everything on restart.
 *
 * @param options `max`: how many keys are kept, those used last; 10000 by default
 */
export function memoryStore ({ max = 10_000 }: { max?: number } = {}): SubsonicStore {
  const kept = new LRUCache<string, string>({ max })
  return {
    get: async key => kept.get(key),
    set: async (key, value) => {
      if (value === undefined) kept.delete(key)
      else kept.set(key, value)
    }
  }
}
