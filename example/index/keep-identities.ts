import { createYield } from 'fastify-source-origin'
import { filesAtATime } from '../catalogue/change-index.ts'
import { settleSome } from '../catalogue/track-index.ts'
import type { PersistentIndex } from './persistent-index.ts'

/**
 * Stores the data that identifies the tracks of a scan, in batches.
 *
 * @param isEnd whether the scan has removed deleted files, and no file waits for the id of another one
 */
export async function settleAll (kept: PersistentIndex, signal: AbortSignal, isEnd: boolean): Promise<void> {
  const pause = createYield(signal)
  for (let isMore = true; isMore;) {
    isMore = false
    kept.keepAside(() => { isMore = settleSome(kept.db, filesAtATime, isEnd) }, true)
    await pause()
  }
  kept.keepAside(() => {}, false)
}
