import {
  BadRequestError, NotFoundError, type PlaylistDetail, type SourceAdapter, type Track
} from 'fastify-source-origin'
import type { BrowsePage, BrowseQuery } from 'fastify-source-origin/page'
import { browseAlbums, browseArtists } from './catalogue/browse.ts'
import type { Catalogue, CatalogueAlbum, CatalogueTrack } from './catalogue/build-catalogue.ts'
import {
  artistOrders, newTracks, playlistOrders, roamTracks, shuffleForToday, similarTracks
} from './catalogue/pick-tracks.ts'
import type { Describer } from './describe.ts'
import type { Library } from './library.ts'
import { readLyrics } from './lyrics/read-lyrics.ts'
import { categoryOf, filesCategory, type CataloguePlaylist } from './playlists/build-playlists.ts'
import { compareNames } from './text/compare-names.ts'

/** How many items lists have that are not paged. */
export const most = { suggestions: 5, similar: 20, new: 50, daily: 30, roam: 20, topArtists: 50, tracks: 1000 }

/** What `getPlaylistDetail` sorts by. */
export const playlistSortOptions = Object.entries(playlistOrders).map(([key, { label }]) => ({ key, label }))

/** A music folder as a source: the adapter of one request. */
export class FolderSource implements SourceAdapter {
  protected readonly library: Library
  protected readonly catalogue: Catalogue
  protected readonly describe: Describer

  constructor (library: Library, describe: Describer) {
    this.library = library
    this.catalogue = library.catalogue
    this.describe = describe
  }

  getPlaylists (offset: number, limit: number, category?: string) {
    const has = ({ made, genres }: CataloguePlaylist) =>
      category === filesCategory.key ? made : genres.some(genre => categoryOf(genre).key === category)
    const all = [...this.catalogue.playlists.values()]
    return page(category === undefined ? all : all.filter(has), offset, limit, this.describe.playlist)
  }

  getPlaylistCategories () {
    const all = [...this.catalogue.playlists.values()]
    const genres = all.filter(({ made }) => !made).map(({ name }) => categoryOf(name))
    return all.length > genres.length ? [filesCategory, ...genres] : genres
  }

  getRecommendedPlaylist (offset: number, limit: number) {
    return page(shuffleForToday(this.catalogue.playlists.values()), offset, limit, this.describe.playlist)
  }

  getPlaylistDetail (
    id: string, trackLimit: number, sort?: string, order?: 'asc' | 'desc'
  ): PlaylistDetail | Promise<PlaylistDetail> {
    const playlist = found(this.catalogue.playlists, id, 'playlist')
    const tracks = this.first(sortTracks(playlist.tracks, sort, order), trackLimit)
    return { ...this.describe.playlist(playlist), tracks }
  }

  getTrackDetail (id: string) {
    return this.describe.track(this.track(id))
  }

  getSimilarTracks (id: string): Track[] | Promise<Track[]> {
    return this.first(similarTracks(this.track(id), this.catalogue.tracks.values()), most.similar)
  }

  getTrackUrl (id: string, quality?: string) {
    return this.describe.trackUrl(this.track(id), quality)
  }

  getTrackLyrics (id: string) {
    return readLyrics(this.library.root, this.track(id).paths)
  }

  getNewTracks () {
    return this.first(newTracks(this.catalogue.tracks.values()), most.new)
  }

  getDailyTracks (): Track[] | Promise<Track[]> {
    return this.first(shuffleForToday(this.catalogue.tracks.values()), most.daily)
  }

  getRoamTracks () {
    const tracks = roamTracks(this.catalogue.tracks.values(), this.library.roamed, most.roam)
    this.library.roamed = new Set(tracks.map(({ id }) => id))
    return tracks.map(this.describe.track)
  }

  getTopArtists () {
    return [...this.catalogue.artists.values()]
      .filter(({ tracks }) => tracks.length > 0)
      .sort((a, b) => b.tracks.length - a.tracks.length || compareNames(a.name, b.name))
      .slice(0, most.topArtists).map(this.describe.artist)
  }

  getArtistDetail (id: string, trackLimit: number) {
    const artist = found(this.catalogue.artists, id, 'artist')
    return { ...this.describe.artist(artist), tracks: this.first(artist.tracks, trackLimit) }
  }

  async getArtistTracks (id: string, order: string, offset: number, limit: number) {
    const { tracks } = found(this.catalogue.artists, id, 'artist')
    if (!Object.hasOwn(artistOrders, order)) {
      throw new BadRequestError(`Invalid parameter order: this source offers ${Object.keys(artistOrders).join(', ')}`)
    }
    const heat = order === 'hot' ? await this.heat() : new Map()
    return page(tracks.toSorted(artistOrders[order]!(heat)), offset, limit, this.describe.track)
  }

  /** How hot tracks are: in how many playlist files they are. */
  protected heat (): Map<CatalogueTrack, number> | Promise<Map<CatalogueTrack, number>> {
    const heat = new Map<CatalogueTrack, number>()
    for (const { made, tracks } of this.catalogue.playlists.values()) {
      if (made) for (const track of new Set(tracks)) heat.set(track, (heat.get(track) ?? 0) + 1)
    }
    return heat
  }

  getArtistAlbums (id: string, offset: number, limit: number) {
    const { albums, tracks } = found(this.catalogue.artists, id, 'artist')
    const all: Set<CatalogueAlbum> = new Set([...albums, ...tracks.map(({ album }) => album)])
    return page([...all], offset, limit, this.describe.album)
  }

  getAlbumDetail (id: string, trackLimit: number) {
    const album = found(this.catalogue.albums, id, 'album')
    return {
      ...this.describe.album(album),
      artist: this.describe.artist(album.artist),
      tracks: this.first(album.tracks, trackLimit)
    }
  }

  async searchTracks (keyword: string, offset: number, limit: number) {
    return page(await this.catalogue.search.tracks.search(keyword), offset, limit, this.describe.track)
  }

  async searchArtists (keyword: string, offset: number, limit: number) {
    return page(await this.catalogue.search.artists.search(keyword), offset, limit, this.describe.artist)
  }

  async searchAlbums (keyword: string, offset: number, limit: number) {
    return page(await this.catalogue.search.albums.search(keyword), offset, limit, this.describe.album)
  }

  async searchPlaylists (keyword: string, offset: number, limit: number) {
    return page(await this.catalogue.search.playlists.search(keyword), offset, limit, this.describe.playlist)
  }

  async searchSuggest (keyword: string) {
    const [songs, artists, albums] = await Promise.all([
      this.searchTracks(keyword, 0, most.suggestions),
      this.searchArtists(keyword, 0, most.suggestions),
      this.searchAlbums(keyword, 0, most.suggestions)
    ])
    return { songs: songs.items, artists: artists.items, albums: albums.items }
  }

  /** All albums or artists, as the page lists them. */
  browse (query: BrowseQuery): BrowsePage {
    if (query.kind === 'artists') {
      const page = browseArtists(this.catalogue, query)
      return { ...page, items: page.items.map(this.describe.artist) }
    }
    const page = browseAlbums(this.catalogue, query)
    return { ...page, items: page.items.map(this.describe.album) }
  }

  /** All there is, the tracks of one album in its order, for apps that keep a copy. */
  everything () {
    const { artists, albums } = this.catalogue
    const { artist, album, track } = this.describe
    return {
      artists: [...artists.values()].map(artist),
      albums: [...albums.values()].map(album),
      tracks: () => [...albums.values()].flatMap(({ tracks }) => tracks.map(track))
    }
  }

  protected track (id: string) {
    return found(this.catalogue.tracks, id, 'track')
  }

  /** @param limit -1 = as many as can be asked for */
  protected first (tracks: readonly CatalogueTrack[], limit: number) {
    return tracks.slice(0, limit === -1 ? most.tracks : limit).map(this.describe.track)
  }
}

export function sortTracks (
  tracks: readonly CatalogueTrack[], sort?: string, order?: 'asc' | 'desc'
): readonly CatalogueTrack[] {
  const compare = sort === undefined ? undefined : playlistOrders[sort]?.compare
  return compare === undefined ? tracks : tracks.toSorted((a, b) => order === 'desc' ? compare(b, a) : compare(a, b))
}

export function found<T> (items: ReadonlyMap<string, T>, id: string, kind: string): T {
  const item = items.get(id)
  if (item === undefined) throw new NotFoundError(`There is no such ${kind}`)
  return item
}

export const page = <T, D>(items: readonly T[], offset: number, limit: number, describe: (item: T) => D) => ({
  items: items.slice(offset, offset + limit).map(describe),
  offset,
  limit,
  hasMore: items.length > offset + limit
})
