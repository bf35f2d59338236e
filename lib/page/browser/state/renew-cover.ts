import { replace, type Entry } from './queue.ts'
import { ask, can } from './sources.ts'
import { tidyTrack } from './tidy.ts'

/** Key of the entry that was asked for last: what has no cover the second time has none. */
let asked: number | undefined

/** Asks for a track again whose cover does not load: a queue is kept for longer than the URLs in it are good. */
export async function renewCover ({ key, track }: Entry): Promise<void> {
  if (key === asked || !can('songDetail')) return
  asked = key
  try {
    replace(key, tidyTrack(await ask(client => client.getTrackDetail(track.id))))
  } catch {
    // It stays as it is.
  }
}
