import type { Track } from '../../schemas/index.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import type { SourceSession } from './source-session.ts'

/** The number of concurrent calls of an adapter without a library. */
const concurrency = 4

/** Returns tracks by their ids: in one call if the source has a library. Unknown tracks are left out. */
export async function tracksById (
  session: Pick<SourceSession, 'find' | 'library'>, ids: readonly string[]
): Promise<ReadonlyMap<string, Track>> {
  const library = await session.library()
  const tracks: (Track | undefined)[] = [...await library?.items('tracks', ids) ?? []]
  if (library === undefined) {
    await forEachLimited([...ids.entries()], concurrency, async ([place, id]) => {
      tracks[place] = await session.find('getTrackDetail', id)
    })
  }
  return new Map(ids.flatMap((id, at) => tracks[at] === undefined ? [] : [[id, tracks[at]]]))
}
