import {
  type AlbumDetail, type Artist, type ArtistDetail, type PlaylistDetail, type ScanStatus,
  type SourceAdapter, type SourceLibrary, type Track
} from 'fastify-source-origin'
import { randomBytes } from 'node:crypto'
import type { Limits } from '../catalogue/limits.ts'
import type { Catalogue, Slice } from '../catalogue/catalogue.ts'
import type { CatalogueArtist, CataloguePlaylist, CatalogueTrack } from '../catalogue/catalogue-items.ts'
import { matchNames, type Searchable } from '../catalogue/match-names.ts'
import { idOfDay, roam, shuffleForToday } from '../catalogue/pick-tracks.ts'
import { playlistOrders } from '../catalogue/playlist-rows.ts'
import { genreKey } from '../catalogue/track-rows.ts'
import type { Describer } from './describe.ts'
import { FolderLibrary } from './folder-library.ts'
import type { MusicFolder } from '../index/music-folder.ts'
import { describeAll, found, limitOf, limits, page, pageOf } from './pages.ts'
import { readLyrics } from '../lyrics/read-lyrics.ts'

/** The sort options of `getPlaylistDetail`. */
export const playlistSortOptions = Object.entries(playlistOrders).map(([key, { label }]) => ({ key, label }))

/** The sort options of `getArtistTracks`. */
const artistOrders = ['hot', 'new', 'title'] as const

/** The category of playlist files; genres have their own. */
const filesCategory = { key: 'files', label: 'Playlist files' }

/** Returns the category of a genre. */
const categoryOf = (genre: string) => ({ key: `genre:${genreKey(genre)}`, label: genre })

/** The adapter of one request for a music folder. */
export class FolderSource implements SourceAdapter {
  protected readonly folder: MusicFolder
  protected readonly catalogue: Catalogue
  protected readonly account: string
  readonly #describer: () => Describer
  #describe: Describer | undefined

  /** The restrictions of the account. */
  readonly limits: Limits

  /** @param describer creates the describer on demand, since most responses come from the cache */
  constructor (folder: MusicFolder, describer: () => Describer, account = 'owner', limits: Limits = {}) {
    this.account = account
    this.limits = limits
    this.folder = folder
    this.catalogue = folder.catalogue.within(limits)
    this.#describer = describer
  }

  get describe (): Describer {
    this.#describe ??= this.#describer()
    return this.#describe
  }

  getPlaylists (offset: number, limit: number, category?: string) {
    const has = ({ genre, genres }: CataloguePlaylist) => category === filesCategory.key
      ? genre === undefined
      : genres.some(genre => categoryOf(genre).key === category)
    const all = [...this.catalogue.playlists.values()]
    return page(category === undefined ? all : all.filter(has), offset, limit, this.describe.playlist)
  }

  getPlaylistCategories () {
    const all = [...this.catalogue.playlists.values()]
    const genres = all.filter(({ genre }) => genre !== undefined).map(({ name }) => categoryOf(name))
    return all.length > genres.length ? [filesCategory, ...genres] : genres
  }

  getRecommendedPlaylist (offset: number, limit: number) {
    return page(shuffleForToday(this.catalogue.playlists.values()), offset, limit, this.describe.playlist)
  }

  async getPlaylistDetail (
    id: string, trackLimit: number, sort?: string, order?: 'asc' | 'desc'
  ): Promise<PlaylistDetail> {
    const playlist = found(this.catalogue.playlists, id, 'playlist')
    const tracks = await this.catalogue.playlistTracks(playlist, limitOf(trackLimit), { sort, order })
    return { ...this.describe.playlist(playlist), tracks: await describeAll(tracks, this.describe.track) }
  }

  getTrackDetail (id: string) {
    return this.describe.track(this.track(id))
  }

  getSimilarTracks (id: string): Track[] | Promise<Track[]> {
    return this.catalogue.similarTracks(this.track(id), limits.similar).map(this.describe.track)
  }

  getTrackUrl (id: string, quality?: string) {
    return this.describe.trackUrl(this.track(id), quality)
  }

  getTrackLyrics (id: string) {
    return readLyrics(this.folder.root, this.track(id).paths)
  }

  getNewTracks () {
    return this.catalogue.newTracks(limits.new).map(this.describe.track)
  }

  getDailyTracks (): Track[] | Promise<Track[]> {
    return this.tracksOfDay().slice(0, limits.daily).map(this.describe.track)
  }

  getRoamTracks () {
    const some = this.catalogue.tracksFrom(randomBytes(10).toString('hex'), limits.sample)
    const tracks = roam(some, this.folder.roamed.get(this.account), limits.roam)
    this.folder.roamed.set(this.account, new Set(tracks.map(({ id }) => id)))
    return tracks.map(this.describe.track)
  }

  getTopArtists (): Artist[] | Promise<Artist[]> {
    return this.catalogue.topArtists(limits.topArtists).map(this.describe.artist)
  }

  async getArtistDetail (id: string, trackLimit: number): Promise<ArtistDetail> {
    const artist = found(this.catalogue.artists, id, 'artist')
    const tracks = this.catalogue.artistTracks(artist, { limit: limitOf(trackLimit) })
    return { ...this.describe.artist(artist), tracks: await describeAll(tracks, this.describe.track) }
  }

  async getArtistTracks (id: string, order: string, offset: number, limit: number) {
    const artist = found(this.catalogue.artists, id, 'artist')
    // The contract allows any string, since clients do not know the sort options of a source.
    const known = artistOrders.find(known => known === order) ?? 'hot'
    const slice = { offset, limit: limit + 1 }
    const tracks = known === 'hot'
      ? await this.hotTracks(artist, slice)
      : this.catalogue.artistTracks(artist, slice, known)
    return pageOf(tracks, offset, limit, this.describe.track)
  }

  /** Returns the tracks of an artist that are in the most playlist files first. */
  protected async hotTracks (artist: CatalogueArtist, { offset = 0, limit }: Slice): Promise<CatalogueTrack[]> {
    const heat = await this.heat()
    const tracks = this.catalogue.artistHeat(artist)
      .map(({ number, id, lists }) => ({ number, heat: lists + (heat.get(id) ?? 0) }))
      .sort((a, b) => b.heat - a.heat)
    return this.catalogue.tracks.list(tracks.slice(offset, offset + limit).map(({ number }) => number))
  }

  /** Returns additional popularity of tracks by id, in units of playlist files. */
  protected async heat (): Promise<ReadonlyMap<string, number>> {
    return new Map()
  }

  getArtistAlbums (id: string, offset: number, limit: number) {
    const artist = found(this.catalogue.artists, id, 'artist')
    return pageOf(this.catalogue.artistAlbums(artist, { offset, limit: limit + 1 }), offset, limit, this.describe.album)
  }

  async getAlbumDetail (id: string, trackLimit: number): Promise<AlbumDetail> {
    const album = found(this.catalogue.albums, id, 'album')
    return {
      ...this.describe.album(album),
      artist: this.describe.artist(album.artists[0]!),
      tracks: await describeAll(this.catalogue.albumTracks(album, limitOf(trackLimit)), this.describe.track)
    }
  }

  async searchTracks (keyword: string, offset: number, limit: number) {
    const found = await this.catalogue.searchTracks(keyword, { offset, limit: limit + 1 })
    return pageOf(found, offset, limit, this.describe.track)
  }

  async searchArtists (keyword: string, offset: number, limit: number) {
    const found = await this.catalogue.searchArtists(keyword, { offset, limit: limit + 1 })
    return pageOf(found, offset, limit, this.describe.artist)
  }

  async searchAlbums (keyword: string, offset: number, limit: number) {
    const found = await this.catalogue.searchAlbums(keyword, { offset, limit: limit + 1 })
    return pageOf(found, offset, limit, this.describe.album)
  }

  async searchPlaylists (keyword: string, offset: number, limit: number) {
    return page(this.matchingPlaylists(keyword), offset, limit, this.describe.playlist)
  }

  async searchSuggest (keyword: string) {
    const [songs, artists, albums] = await Promise.all([
      this.searchTracks(keyword, 0, limits.suggestions),
      this.searchArtists(keyword, 0, limits.suggestions),
      this.searchAlbums(keyword, 0, limits.suggestions)
    ])
    return { songs: songs.items, artists: artists.items, albums: albums.items }
  }

  /** The library of all the music. */
  get library (): SourceLibrary { return new FolderLibrary(this.catalogue, this.describe) }

  /** Scans the complete folder for changes that the system does not report. */
  startScan (): ScanStatus {
    this.folder.scan()
    return this.getScanStatus()
  }

  getScanStatus (): ScanStatus { return { scanning: this.folder.isScanning, count: this.catalogue.tracks.size } }

  protected matchingPlaylists (keyword: string): CataloguePlaylist[] {
    const textsOf = ({ name, genres }: CataloguePlaylist): Searchable => ({ name, more: genres.join(' ') })
    return matchNames([...this.catalogue.playlists.values()], textsOf, keyword)
  }

  /** Returns tracks in an order that changes daily. */
  protected tracksOfDay (): CatalogueTrack[] {
    return shuffleForToday(this.catalogue.tracksFrom(idOfDay(), limits.sample))
  }

  protected track (id: string) { return found(this.catalogue.tracks, id, 'track') }
}
