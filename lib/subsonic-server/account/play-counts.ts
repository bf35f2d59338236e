import { withTimeout } from '../../async/with-timeout.ts'
import type { RestSession } from '../session.ts'
import type { PlayCounts } from './account-state.ts'
import type { RestAccount } from './account.ts'
import type { PlacedTrack } from './listing.ts'

/** How often the account has played tracks and albums; `undefined` where the source does not say so. */
export interface Played {
  readonly track: PlayCounts | undefined
  readonly album: PlayCounts | undefined
}

/** Milliseconds that an answer waits for what it can do without. */
const timeout = 1000
/** Of counts that do not change, as long as tracks stay in their albums. */
const sums = new WeakMap<PlayCounts, { placed: ReadonlyMap<string, PlacedTrack>, albums: PlayCounts }>()

/** What an account has played; of albums the sum of their tracks, where the source lists what these are. */
export async function readPlayed (session: RestSession<RestAccount>): Promise<Played> {
  const { state, library } = session.account
  const { adapter } = await session.current()
  if (typeof adapter.getPlays !== 'function') return { track: undefined, album: undefined }
  // Other calls wait for it, too.
  session.share()
  try {
    const track = await state.playCounts.get(async () => new Map((await state.plays(session)).map(of => [of.id, of])))
    const placed = await withTimeout(() => library.placed(session), { timeout })
    return { track, album: placed && sumByAlbum(track, placed) }
  } catch (error) {
    session.warn(error, 'What was played cannot be read')
    return { track: undefined, album: undefined }
  }
}

function sumByAlbum (counts: PlayCounts, placed: ReadonlyMap<string, PlacedTrack>): PlayCounts {
  const kept = sums.get(counts)
  if (kept?.placed === placed) return kept.albums
  const albums = new Map<string, { plays: number, last: number }>()
  for (const [id, { plays, last }] of counts) {
    const album = placed.get(id)?.album.id
    if (album === undefined) continue
    const sum = albums.get(album)
    albums.set(album, { plays: plays + (sum?.plays ?? 0), last: Math.max(last, sum?.last ?? last) })
  }
  sums.set(counts, { placed, albums })
  return albums
}
