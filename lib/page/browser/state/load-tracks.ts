import type { AlbumDetail, Playlist, PlaylistDetail, SourceClient, Track } from '../../../client/index.ts'
import { UnsupportedFeatureError } from '../../../contract/errors.ts'
import type { ShownExtras } from '../../shown-extras.ts'
import { itemOf } from './explain.ts'
import { loadAlbumExtras } from './extras.ts'
import { ask, fetchPage, ownUrl, source } from './sources.ts'
import { pageOfTracks, tidyCard, tracksOf } from './tidy.ts'

/** Tracks of an artist or a toplist that are asked for at once. */
const pageSize = 100
/** Most tracks that `/v1` can be asked for by a number. */
const mostOfList = 1000

/** The first four covers that differ; fewer where there are no four. */
export const mosaicOf = (tracks: readonly Track[]) =>
  [...new Set(tracks.map(({ album }) => album.coverUrl).filter(url => url !== ''))].slice(0, 4)

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
  const load = (limit: number) => sort === ''
    ? client.getPlaylistDetail(id, limit)
    : client.getPlaylistDetail(id, limit, sort, order)
  const loadAll = () => asked.url === ownUrl
    ? fetchPage<PlaylistDetail>(asked, `page/playlist?${new URLSearchParams({ id, sort, order })}`, signal)
    : load(mostOfList)
  const tidy = (playlist: PlaylistDetail) => {
    const tracks = tracksOf(playlist.tracks)
    return { ...tidyCard<PlaylistDetail>(itemOf(playlist)), tracks }
  }
  const chosen = tidy(await load(-1))
  if (chosen.tracks.length >= (chosen.trackCount ?? 0)) return chosen
  const whole = tidy(await loadAll())
  return whole.tracks.length > chosen.tracks.length ? whole : chosen
}

/** An album, its tracks by disc and number as far as their extras tell these. */
export async function loadAlbum (
  id: string, client: SourceClient, signal?: AbortSignal
): Promise<{ readonly album: AlbumDetail, readonly extras: ShownExtras }> {
  const [detail, extras] = await Promise.all([client.getAlbumDetail(id, -1), loadAlbumExtras(id, signal)])
  const album = itemOf(detail)
  const placeOf = ({ id }: Track) => {
    const { discNumber = 1, track = Infinity } = extras.tracks[id] ?? {}
    return { discNumber, track }
  }
  const tracks = tracksOf(album.tracks).sort((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)]
    if (one.discNumber !== other.discNumber) return one.discNumber - other.discNumber
    return one.track === other.track ? 0 : one.track - other.track
  })
  return { album: { ...tidyCard<AlbumDetail>(album), tracks }, extras }
}

/** Reads pages to the end of a list, or until one has nothing new: a source may give the same page again and again. */
async function readAll (
  load: (offset: number) => Promise<{ readonly items: readonly Track[], readonly hasMore: boolean }>
): Promise<readonly Track[]> {
  const all: Track[] = []
  const known = new Set<string>()
  for (let offset = 0; ; offset += pageSize) {
    const { items, hasMore } = await load(offset)
    if (items.every(({ id }) => known.has(id))) return all
    for (const { id } of items) known.add(id)
    all.push(...items)
    if (!hasMore) return all
  }
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
