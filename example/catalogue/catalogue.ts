import { LRUCache } from 'lru-cache'
import type { LibraryFacets, LibraryKind, LibraryQuery, QualityOption } from 'fastify-source-origin'
import { viewKey, hidesTracks, type Limits } from './limits.ts'
import { trackAt, trackInAnyCase } from './entry-rows.ts'
import type { FavoritesOfKind, Heard } from './listened.ts'
import type { IndexDatabase, IndexReader } from '../database/index-database.ts'
import type { Value } from '../database/open-sqlite.ts'
import { artistAlbums, artistHeat, artistTracks, type ArtistOrder, type Slice } from './artist-lists.ts'
import { CurrentIds } from './find-current-ids.ts'
import {
  albumColumns, artistColumns, readAlbum, readArtist, readTrack, trackColumns, type AlbumRow, type ArtistRow,
  type TrackRow
} from './item-rows.ts'
import { missingTitles } from './track-index.ts'
import { ItemTable } from './item-table.ts'
import type { CatalogueAlbum, CatalogueArtist, CataloguePlaylist, CatalogueTrack } from './catalogue-items.ts'
import { byFolder, listIds, sumHeard } from './library-lists.ts'
import { LimitedRows } from './limited-rows.ts'
import { genreFrom, genreOrder, listPlaylists, orderOf, type Sorting } from './playlist-rows.ts'
import { fittingFiles, qualities } from './qualities.ts'
import { randomIds } from './random-ids.ts'
import { readFacets } from './read-facets.ts'
import { search } from './search-catalogue.ts'
import type { SearchKind } from './search-words.ts'
import { findSimilar } from './similar-tracks.ts'
import { lastPlace } from './track-rows.ts'

export type { Slice } from './artist-lists.ts'
export type * from './catalogue-items.ts'

let revisions = Date.now()

/** Returns a revision. Revisions of other processes and databases differ. */
const nextRevision = () => String(++revisions)

/** The maximum number of cached views of accounts with restrictions. Accounts with equal restrictions share a view. */
const mostParts = 100

/** The library that requests read: its current rows. */
export class Catalogue {
  readonly artists: ItemTable<CatalogueArtist, ArtistRow>
  readonly albums: ItemTable<CatalogueAlbum, AlbumRow>
  readonly tracks: ItemTable<CatalogueTrack, TrackRow>
  readonly #db: IndexReader
  readonly #whole: IndexDatabase
  readonly #limited: LimitedRows | undefined
  readonly #parts = new LRUCache<string, Catalogue>({ max: mostParts, dispose: part => part.#limited?.drop() })
  readonly #facets = new Map<LibraryKind, LibraryFacets>()
  #changedAt = Date.now()
  #revision = nextRevision()
  #playlists: ReadonlyMap<string, CataloguePlaylist> | undefined
  #qualities: QualityOption[] | undefined
  readonly #current: CurrentIds
  #withCurrent = new WeakMap<ReadonlyMap<string, FavoritesOfKind>, Promise<ReadonlyMap<string, number>>>()

  /** @param limits the restrictions of an account that sees a part of it */
  constructor (whole: IndexDatabase, limits: Limits = {}) {
    this.#whole = whole
    this.#limited = hidesTracks(limits) ? new LimitedRows(whole, limits) : undefined
    const db = this.#db = this.#limited ?? whole
    const current = this.#current = new CurrentIds(db)
    this.artists = new ItemTable(db, current, 'artist', artistColumns, readArtist)
    this.albums = new ItemTable(db, current, 'album', albumColumns, row => readAlbum(row, this.artists))
    this.tracks = new ItemTable(db, current, 'track', trackColumns, row =>
      fittingFiles(readTrack(row, this.artists, this.albums), limits.bitrate))
  }

  /** Returns the library for an account with restrictions, without other rows and files. */
  within (limits: Limits): Catalogue {
    const key = viewKey(limits)
    if (key === '') return this
    const part = this.#parts.get(key) ?? new Catalogue(this.#whole, limits)
    this.#parts.set(key, part)
    return part
  }

  /** Clears cached items after rows have changed. */
  changed (): void {
    this.#limited?.changed()
    for (const part of this.#parts.values()) part.changed()
    this.#changedAt = Date.now()
    this.#revision = nextRevision()
    for (const table of [this.artists, this.albums, this.tracks]) table.clear()
    this.#facets.clear()
    this.#current.clear()
    this.#withCurrent = new WeakMap()
    this.#playlists = undefined
    this.#qualities = undefined
  }

  /** Changes with each change of the library. */
  get revision (): string { return this.#revision }

  /** The time of the last change in Unix milliseconds. */
  get changedAt (): number { return this.#changedAt }

  /** The qualities in the folder, best first. */
  get qualities (): readonly QualityOption[] {
    this.#qualities ??= qualities.filter(({ key }) =>
      this.#db.get('SELECT 1 FROM file WHERE quality = ? LIMIT 1', key) !== undefined)
    return this.#qualities
  }

  /** The playlist files by name, then one playlist for each genre, largest first. */
  get playlists (): ReadonlyMap<string, CataloguePlaylist> {
    this.#playlists ??= listPlaylists(this.#db)
    return this.#playlists
  }

  /** Returns the tracks of a playlist, with repetitions. */
  playlistTracks (playlist: CataloguePlaylist, limit: number, sorting: Sorting = {}): Promise<CatalogueTrack[]> {
    const { id, genre, trackCount } = playlist
    const [from, place, key] = genre === undefined
      ? ['entry JOIN track ON track.number = entry.track WHERE playlist = ?', 'entry.place', id]
      : [genreFrom(trackCount, sorting), genreOrder, genre]
    return this.tracks.read(this.#numbers(
      `SELECT track.number FROM ${from} ORDER BY ${orderOf(sorting)}${place} LIMIT ?`, key, limit))
  }

  /**
   * Returns the times when items became favourites (Unix milliseconds), by their stored and current ids.
   *
   * @param favorites by their kinds
   */
  async withCurrent (favorites: ReadonlyMap<string, FavoritesOfKind>): Promise<ReadonlyMap<string, number>> {
    const find = async () => {
      const found = new Map<string, number>()
      for (const [kind, { ids, since }] of favorites) {
        const current = kind === 'playlist' ? undefined : await this.currentIds(kind as SearchKind, ids)
        for (const [index, id] of ids.entries()) {
          found.set(id, since[index]!)
          const now = current?.get(id)
          if (now !== undefined && !found.has(now)) found.set(now, since[index]!)
        }
      }
      return found
    }
    const known = this.#withCurrent.get(favorites) ?? find()
    this.#withCurrent.set(favorites, known)
    return known
  }

  /** Returns the current ids of former ids; ids of deleted items are left out. */
  currentIds (kind: SearchKind, ids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    return this.#current.find(kind, ids)
  }

  /** Returns the titles of existing tracks by id. */
  titles (ids: readonly string[]): ReadonlyMap<string, string> {
    return new Map(this.#db.all<{ id: string, title: string }>(`
      SELECT id, data ->> '$.title' AS title FROM track WHERE id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids)).map(({ id, title }) => [id, title]))
  }

  /** Returns the last titles of deleted tracks by id. Unknown ids are left out. */
  goneTitles (ids: readonly string[]): ReadonlyMap<string, string> { return missingTitles(this.#db, ids) }

  /** Returns the first existing tracks by their ids, without duplicates. */
  async knownTracks (ids: readonly string[], limit = Infinity): Promise<CatalogueTrack[]> {
    const current = await this.currentIds('track', ids)
    const known = [...new Set(ids.flatMap(id => current.get(id) ?? []))]
    return (await this.tracks.find(known.slice(0, limit))).filter(track => track !== undefined)
  }

  /** Returns the current ids in another order; ids of missing tracks come last. */
  async sortIds (ids: readonly string[], sorting: Sorting): Promise<string[]> {
    const current = await this.currentIds('track', ids)
    return this.#db.all<{ id: string }>(`
      SELECT value AS id FROM json_each(?) AS ids LEFT JOIN track ON track.id = value
      ORDER BY track.id IS NULL, ${orderOf(sorting)}ids.key`,
    JSON.stringify(ids.map(id => current.get(id) ?? id))).map(({ id }) => id)
  }

  /** Returns tracks in disc and track order; tracks without a number come last, by title. */
  albumTracks ({ number }: CatalogueAlbum, limit: number): CatalogueTrack[] {
    return this.#tracks(`
      SELECT number FROM track WHERE album = ?
      ORDER BY disc, ${byFolder(this.#db, number)} place, sort, number LIMIT ?`, number, limit)
  }

  /** Returns the positions of an album's tracks that have a track number. */
  albumPlaces ({ number }: CatalogueAlbum): { number: number, disc: number, place: number }[] {
    return this.#db.all('SELECT number, disc, place FROM track WHERE album = ? AND place < ?', number, lastPlace)
  }

  /**
   * Returns the ids of a query in order; track ids are returned in parts.
   *
   * @param heard played tracks, for a list of their albums
   */
  ids (query: LibraryQuery, heard?: readonly Heard[]) { return listIds(this.#db, query, heard) }

  /** Chooses at most `count` random ids of a query. */
  randomIds (query: LibraryQuery, count: number) { return randomIds(this.#db, query, count) }

  /** Returns the filters and sort orders of a kind. */
  facets (kind: LibraryKind): LibraryFacets {
    const facets = this.#facets.get(kind) ?? readFacets(this.#db, kind)
    this.#facets.set(kind, facets)
    return facets
  }

  /** Sums played tracks by album id. */
  heardAlbums (heard: readonly Heard[]): ReadonlyMap<string, Heard> { return sumHeard(this.#db, heard) }

  /** Returns all tracks that an artist plays on, in the order of files, newest first, or by title. */
  artistTracks ({ number }: CatalogueArtist, slice: Slice, order?: ArtistOrder): CatalogueTrack[] {
    return this.tracks.list(artistTracks(this.#db, number, slice, order))
  }

  /** Returns the same tracks, with the number of playlist files that contain each. */
  artistHeat ({ number }: CatalogueArtist) { return artistHeat(this.#db, number) }

  /** Returns the albums of an artist, newest first, then albums by others with the artist's tracks. */
  artistAlbums ({ number }: CatalogueArtist, slice: Slice): CatalogueAlbum[] {
    return this.albums.list(artistAlbums(this.#db, number, slice))
  }

  /** Returns the artists with the most tracks. */
  topArtists (limit: number): CatalogueArtist[] {
    return this.artists.list(this.#numbers(
      'SELECT number FROM artist WHERE tracks > 0 ORDER BY tracks DESC, sort, number LIMIT ?', limit))
  }

  /** Returns tracks of the most recently extended albums first; tracks of an album are in order. */
  newTracks (limit: number): CatalogueTrack[] {
    return this.#tracks(`
      SELECT track.number
      FROM (SELECT DISTINCT album FROM (SELECT album FROM track ORDER BY added DESC LIMIT ?1)) AS latest
        CROSS JOIN album ON album.number = latest.album CROSS JOIN track ON track.album = album.number
      ORDER BY album.added DESC, album.number, track.disc, track.place, track.sort, track.number LIMIT ?1`, limit)
  }

  /** Returns unrelated tracks: the first ids from an id on, and from the beginning if more are required. */
  tracksFrom (id: string, limit: number): CatalogueTrack[] {
    const numbers = this.#numbers('SELECT number FROM track WHERE id >= ? ORDER BY id LIMIT ?', id, limit)
    return this.tracks.list([...numbers, ...this.#numbers(
      'SELECT number FROM track WHERE id < ? ORDER BY id LIMIT ?', id, limit - numbers.length)])
  }

  /** Returns similar tracks: by the same artists, of the same genres, of its era first. */
  similarTracks (track: CatalogueTrack, limit: number): CatalogueTrack[] {
    return this.tracks.list(findSimilar(this.#db, track, limit))
  }

  /** Returns the track of a file by its path in NFC, or in another case if exactly one file has such a path. */
  trackAt (path: string): CatalogueTrack | undefined {
    const found = trackAt(this.#db, path) ?? trackInAnyCase(this.#db, path)
    return found && this.tracks.at(found.number)
  }

  /** Returns whether a track has a file below a folder, by its path in NFC. */
  hasFolder (folder: string): boolean {
    return this.#db.get(`
      SELECT 1 FROM track, json_each(data, '$.paths') AS file
      WHERE substr(file.value, 1, length(?1) + 1) = ?1 || '/' LIMIT 1`, folder) !== undefined
  }

  searchTracks (keyword: string, slice: Slice): Promise<CatalogueTrack[]> {
    return this.#search('track', this.tracks, keyword, slice)
  }

  searchAlbums (keyword: string, slice: Slice): Promise<CatalogueAlbum[]> {
    return this.#search('album', this.albums, keyword, slice)
  }

  searchArtists (keyword: string, slice: Slice): Promise<CatalogueArtist[]> {
    return this.#search('artist', this.artists, keyword, slice)
  }

  async #search<T extends { id: string, number: number }> (
    kind: SearchKind, table: ItemTable<T, any>, keyword: string, { offset = 0, limit }: Slice
  ): Promise<T[]> {
    return table.list(await search(this.#db, kind, keyword, { offset, limit }))
  }

  #tracks (sql: string, ...values: Value[]): CatalogueTrack[] {
    return this.tracks.list(this.#numbers(sql, ...values))
  }

  #numbers (sql: string, ...values: Value[]): number[] {
    return this.#db.all<{ number: number }>(sql, ...values).map(({ number }) => number)
  }
}
