import type { AlbumDetail, Playlist, PlaylistDetail, SourceClient, Track } from '../../../client/index.ts'
import { readWhole } from '../../../async/read-whole.ts'
import { UnsupportedFeatureError } from '../../../contract/errors.ts'
import type { ShownExtras } from '../../page-responses.ts'
import { itemOf } from './explain.ts'
import { loadAlbumExtras } from './load-extras.ts'
import { fetchOwn, isOwn } from './own.ts'
import { source } from './saved-sources.ts'
import { ask } from './session.ts'
import { pageOfTracks, tidyCard, tracksOf } from './tidy.ts'

/** The number of tracks of an artist or toplist per request. */
const pageSize = 100
/** The maximum number of tracks of one `/v1` request. */
const mostOfList = 1000

/** Returns four tracks with different covers, or fewer: the same ones in every order of the list. */
export const mosaicOf = (tracks: readonly Track[]): readonly Track[] =>
  [...new Map(tracks.map(track => [track.album.coverUrl, track] as const).filter(([url]) => url !== ''))]
    .sort(([url], [other]) => url < other ? -1 : 1).slice(0, 4).map(([, track]) => track)

interface Sorting {
  readonly sort: string
  readonly order: 'asc' | 'desc'
}

/**
 * Loads a playlist with all of its tracks, or as many as its source returns.
 *
 * @param client of the current source
 */
export async function loadPlaylist (
  id: string, client: SourceClient, { sort, order }: Sorting = { sort: '', order: 'asc' }, signal?: AbortSignal
): Promise<PlaylistDetail> {
  const asked = source.value
  const sorting = sort === '' ? [] : [sort, order] as const
  const loading = await readWhole(async trackLimit => {
    const detail = isOwn(asked) && trackLimit > mostOfList
      ? await fetchOwn(asked, 'GET playlist', { id, trackLimit, sort, order }, signal)
      : await client.getPlaylistDetail(id, Math.min(trackLimit, mostOfList), ...sorting)
    return { ...tidyCard<PlaylistDetail>(itemOf(detail)), tracks: tracksOf(detail.tracks) }
  })
  return loading!
}

/** Loads an album with its tracks sorted by disc and number, as far as their extras contain these. */
export async function loadAlbum (
  id: string, client: SourceClient, signal?: AbortSignal
): Promise<{ readonly album: AlbumDetail, readonly extras: ShownExtras }> {
  const [album, extras] = await Promise.all([
    readWhole(async trackLimit => {
      const detail = itemOf(await client.getAlbumDetail(id, Math.min(trackLimit, mostOfList)))
      return { ...detail, tracks: tracksOf(detail.tracks) }
    }),
    loadAlbumExtras(id, signal)
  ])
  const placeOf = ({ id }: Track) => {
    const { discNumber = 1, track = Infinity } = extras.tracks[id] ?? {}
    return { discNumber, track }
  }
  const tracks = album!.tracks.sort((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)]
    if (one.discNumber !== other.discNumber) return one.discNumber - other.discNumber
    return one.track === other.track ? 0 : one.track - other.track
  })
  return { album: { ...tidyCard<AlbumDetail>(album!), tracks }, extras }
}

/** Loads all tracks of a list. */
async function readAll (load: (offset: number) => Promise<{ items: readonly Track[], hasMore: boolean }>) {
  const { everyPage } = await import('../../../async/every-page.ts')
  return (await everyPage(Infinity, pageSize, load))!
}

/** Loads a part of a toplist, with the description of the toplist. */
export async function loadToplistPage (id: string, offset: number, client: SourceClient) {
  const toplist = itemOf(await client.getToplistTracks(id, offset, pageSize))
  const items = tracksOf(toplist.tracks)
  const hasMore = offset + Math.max(pageSize, items.length) < (toplist.trackCount ?? 0)
  return { items, limit: pageSize, hasMore, about: tidyCard<Playlist>(toplist) }
}

export const loadArtistPage = async (id: string, offset: number, client: SourceClient) =>
  pageOfTracks(await client.getArtistTracks(id, 'hot', offset, pageSize))

/** Loads all tracks of an artist, or a selection if the source offers only that. */
const loadArtistTracks = (id: string, client: SourceClient) =>
  readAll(offset => loadArtistPage(id, offset, client)).catch(async error => {
    if (!(error instanceof UnsupportedFeatureError)) throw error
    return tracksOf((await client.getArtistDetail(id, pageSize)).tracks)
  })

/** Loads the tracks of a card's item. */
export const loadTracksOf = (
  view: 'album' | 'artist' | 'playlist' | 'toplist', id: string
): Promise<readonly Track[]> => ask<readonly Track[]>(client => ({
  album: async () => (await loadAlbum(id, client)).album.tracks,
  artist: () => loadArtistTracks(id, client),
  playlist: async () => (await loadPlaylist(id, client)).tracks,
  toplist: () => readAll(offset => loadToplistPage(id, offset, client))
})[view]())
