import type { Playlist, Track } from '../../../schemas/index.ts'
import { readWhole } from '../../async/read-whole.ts'
import { placeFor, type Call } from '../call.ts'
import { everyPage } from '../../async/every-page.ts'
import type { IdKind } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { limits } from './find-items.ts'

export interface NamedTracks { readonly name: string, readonly tracks: readonly Track[], readonly playlist: Playlist }

const dailyName = 'Tracks of the day'
export const dailyId = 'daily'

/** Returns the daily tracks as a playlist. */
export async function dailyTracks ({ session }: Call): Promise<NamedTracks | undefined> {
  const tracks = await session.readPart('getDailyTracks')
  if (tracks === undefined) return undefined
  const coverUrl = tracks.find(({ album }) => album.coverUrl)?.album.coverUrl ?? ''
  return { name: dailyName, tracks, playlist: { id: dailyId, name: dailyName, coverUrl, trackCount: tracks.length } }
}

/** Returns the tracks of a toplist; `undefined` if the source does not offer them. */
export async function toplistTracks (
  { session }: Call, id: string
): Promise<NamedTracks | undefined> {
  let playlist: Playlist | undefined
  const tracks = await everyPage(limits.items, 200, async (offset, limit) => {
    const detail = await session.read('getToplistTracks', id, offset, limit)
    if (detail === undefined) return undefined
    const { tracks, ...rest } = detail
    playlist ??= rest
    const { trackCount = 0 } = rest
    const isCounted = trackCount > 0 && tracks.length > 0
    return { items: tracks, hasMore: isCounted ? offset + tracks.length < trackCount : tracks.length === limit }
  })
  return tracks && playlist && { name: playlist.name, tracks, playlist }
}

export const noPlaylist = () => new SubsonicError(70, 'Playlist not found')

/**
 * Returns the tracks of any kind of playlist.
 *
 * @throws SubsonicError 70
 */
export async function findPlaylist (call: Call, kind: IdKind, id: string): Promise<NamedTracks> {
  if (kind === 'toplist') {
    const toplist = await toplistTracks(call, id)
    if (toplist !== undefined) return toplist
  }
  if (kind === 'special' && id === dailyId) {
    const daily = await dailyTracks(call)
    if (daily !== undefined) return daily
  }
  if (kind === 'playlist') {
    const detail = await readWhole(async trackLimit => {
      await placeFor(call, trackLimit)
      return call.session.read('getPlaylistDetail', id, trackLimit)
    })
    if (detail !== undefined) {
      const { tracks, ...playlist } = detail
      return { name: playlist.name, tracks, playlist }
    }
  }
  throw noPlaylist()
}
