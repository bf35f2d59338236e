import type { AlbumDetail, Playlist, PlaylistDetail, SourceClient, Track } from '../../../client/index.ts'
import { readWhole } from '../../../async/read-whole.ts'
import { UnsupportedFeatureError } from '../../../contract/errors.ts'
import type { ShownExtras } from '../../own-answers.ts'
import { itemOf } from './explain.ts'
import { loadAlbumExtras } from './load-extras.ts'
import { fetchOwn, isOwn } from './own.ts'
import { ask, source } from './sources.ts'
import { pageOfTracks, tidyCard, tracksOf } from './tidy.ts'

/** Tracks of an artist or a toplist that are asked for at once. */
const pageSize = 100
/** Most tracks that `/v1` can be asked for by a number. */
const mostOfList = 1000

/** The first four tracks whose covers differ; fewer where there are no four. */
export const mosaicOf = (tracks: readonly Track[]): readonly Track[] =>
  [...new Map(tracks.map(track => [track.album.coverUrl, track] as const).filter(([url]) => url !== '')).values()]
    .slice(0, 4)

interface Sorting {
  readonly sort: string
  readonly order: 'asc' | 'desc'
}

/**
 * A playlist with all of its tracks, or with as many as its source gives.
 *
 * @param client of the source that is the current one
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

/** An album, its tracks by disc and number as far as their extras tell these. */
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

/** All tracks of a list. */
async function readAll (load: (offset: number) => Promise<{ items: readonly Track[], hasMore: boolean }>) {
  const { everyPage } = await import('../../../async/every-page.ts')
  return (await everyPage(Infinity, pageSize, load))!
}

/** A part of a toplist, and what it says of the whole. */
export async function loadToplistPage (id: string, offset: number, client: SourceClient) {
  const toplist = itemOf(await client.getToplistTracks(id, offset, pageSize))
  const items = tracksOf(toplist.tracks)
  const hasMore = offset + Math.max(pageSize, items.length) < (toplist.trackCount ?? 0)
  return { items, limit: pageSize, hasMore, about: tidyCard<Playlist>(toplist) }
}

export const loadArtistPage = async (id: string, offset: number, client: SourceClient) =>
  pageOfTracks(await client.getArtistTracks(id, 'hot', offset, pageSize))

/** All tracks of an artist; a selection where the source has no more than that. */
const loadArtistTracks = (id: string, client: SourceClient) =>
  readAll(offset => loadArtistPage(id, offset, client)).catch(async error => {
    if (!(error instanceof UnsupportedFeatureError)) throw error
    return tracksOf((await client.getArtistDetail(id, pageSize)).tracks)
  })

/** The tracks of what a card stands for. */
export const loadTracksOf = (
  view: 'album' | 'artist' | 'playlist' | 'toplist', id: string
): Promise<readonly Track[]> => ask<readonly Track[]>(client => ({
  album: async () => (await loadAlbum(id, client)).album.tracks,
  artist: () => loadArtistTracks(id, client),
  playlist: async () => (await loadPlaylist(id, client)).tracks,
  toplist: () => readAll(offset => loadToplistPage(id, offset, client))
})[view]())
