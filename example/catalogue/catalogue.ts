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
import { goneTitles } from './known-tracks.ts'
import { ItemTable } from './item-table.ts'
import type { CatalogueAlbum, CatalogueArtist, CataloguePlaylist, CatalogueTrack } from './catalogue-items.ts'
import { byFolder, listIds, sumHeard } from './library-lists.ts'
import { LimitedRows } from './limited-rows.ts'
import { genreFrom, genreOrder, listPlaylists, orderOf, type Sorting } from './playlist-rows.ts'
import { fittingFiles, qualities } from './qualities.ts'
import { randomIds } from './random-ids.ts'
import { readFacets } from './read-facets.ts'
import { search } from './search-catalogue.ts'
import type { Kind } from './search-words.ts'
import { findSimilar } from './similar-tracks.ts'
import { lastPlace } from './track-rows.ts'

export type { Slice } from './artist-lists.ts'
export type * from './catalogue-items.ts'

let revisions = Date.now()

/** That of another process, or of another database, is another one. */
const nextRevision = () => String(++revisions)

/** Views of accounts with limits that are kept; accounts with the same ones have one. */
const mostParts = 100

/** What requests are answered from: the rows of the library as they are now. */
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

  /** @param limits of an account that sees a part of it */
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

  /** The music as an account with limits sees it: no other row, no other file. */
  within (limits: Limits): Catalogue {
    const key = viewKey(limits)
    if (key === '') return this
    const part = this.#parts.get(key) ?? new Catalogue(this.#whole, limits)
    this.#parts.set(key, part)
    return part
  }

  /** Forgets what was read of rows that have changed. */
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

  /** Another one after each change. */
  get revision (): string { return this.#revision }

  /** When something changed last, in Unix milliseconds. */
  get changedAt (): number { return this.#changedAt }

  /** The qualities that the folder has, best first. */
  get qualities (): readonly QualityOption[] {
    this.#qualities ??= qualities.filter(({ key }) =>
      this.#db.get('SELECT 1 FROM file WHERE quality = ? LIMIT 1', key) !== undefined)
    return this.#qualities
  }

  /** Those that somebody made, by name, then one for each genre, the largest first. */
  get playlists (): ReadonlyMap<string, CataloguePlaylist> {
    this.#playlists ??= listPlaylists(this.#db)
    return this.#playlists
  }

  /** The tracks of a playlist, once for each time that they are in it. */
  playlistTracks (playlist: CataloguePlaylist, limit: number, sorting: Sorting = {}): Promise<CatalogueTrack[]> {
    const { id, genre, trackCount } = playlist
    const [from, place, key] = genre === undefined
      ? ['entry JOIN track ON track.number = entry.track WHERE playlist = ?', 'entry.place', id]
      : [genreFrom(trackCount, sorting), genreOrder, genre]
    return this.tracks.read(this.#numbers(
      `SELECT track.number FROM ${from} ORDER BY ${orderOf(sorting)}${place} LIMIT ?`, key, limit))
  }

  /**
   * Since when something is a favourite (Unix milliseconds), by its id and by the one that it leads to.
   *
   * @param favorites by their kinds
   */
  async withCurrent (favorites: ReadonlyMap<string, FavoritesOfKind>): Promise<ReadonlyMap<string, number>> {
    const find = async () => {
      const found = new Map<string, number>()
      for (const [kind, { ids, since }] of favorites) {
        const current = kind === 'playlist' ? undefined : await this.currentIds(kind as Kind, ids)
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

  /** The id that what each of some ids leads to has now; those that are gone are left out. */
  currentIds (kind: Kind, ids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    return this.#current.find(kind, ids)
  }

  /** The titles of tracks that are there, by their ids. */
  titles (ids: readonly string[]): ReadonlyMap<string, string> {
    return new Map(this.#db.all<{ id: string, title: string }>(`
      SELECT id, data ->> '$.title' AS title FROM track WHERE id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids)).map(({ id, title }) => [id, title]))
  }

  /** The titles that tracks had last whose files are gone, by their ids; without those that were never there. */
  goneTitles (ids: readonly string[]): ReadonlyMap<string, string> { return goneTitles(this.#db, ids) }

  /** The first tracks that are there, by their ids, each of them once. */
  async knownTracks (ids: readonly string[], limit = Infinity): Promise<CatalogueTrack[]> {
    const current = await this.currentIds('track', ids)
    const known = [...new Set(ids.flatMap(id => current.get(id) ?? []))]
    return (await this.tracks.find(known.slice(0, limit))).filter(track => track !== undefined)
  }

  /** The current ones of ids, in another order; those of tracks that are not there come last. */
  async sortIds (ids: readonly string[], sorting: Sorting): Promise<string[]> {
    const current = await this.currentIds('track', ids)
    return this.#db.all<{ id: string }>(`
      SELECT value AS id FROM json_each(?) AS ids LEFT JOIN track ON track.id = value
      ORDER BY track.id IS NULL, ${orderOf(sorting)}ids.key`,
    JSON.stringify(ids.map(id => current.get(id) ?? id))).map(({ id }) => id)
  }

  /** In disc and track order; tracks without a number come last, by title. */
  albumTracks ({ number }: CatalogueAlbum, limit: number): CatalogueTrack[] {
    return this.#tracks(`
      SELECT number FROM track WHERE album = ?
      ORDER BY disc, ${byFolder(this.#db, number)} place, sort, number LIMIT ?`, number, limit)
  }

  /** Where the tracks of an album are that have a number in it. */
  albumPlaces ({ number }: CatalogueAlbum): { number: number, disc: number, place: number }[] {
    return this.#db.all('SELECT number, disc, place FROM track WHERE album = ? AND place < ?', number, lastPlace)
  }

  /**
   * Ids of all that a query names, in its order; those of tracks in parts.
   *
   * @param heard where albums of these tracks are wanted
   */
  ids (query: LibraryQuery, heard?: readonly Heard[]) { return listIds(this.#db, query, heard) }

  /** Chooses at most `count` of the ids that a query names. */
  randomIds (query: LibraryQuery, count: number) { return randomIds(this.#db, query, count) }

  /** What lists of a kind can be chosen and sorted by. */
  facets (kind: LibraryKind): LibraryFacets {
    const facets = this.#facets.get(kind) ?? readFacets(this.#db, kind)
    this.#facets.set(kind, facets)
    return facets
  }

  /** What tracks that somebody has heard are of albums, by the ids of these. */
  heardAlbums (heard: readonly Heard[]): ReadonlyMap<string, Heard> { return sumHeard(this.#db, heard) }

  /** Everything that an artist plays on, in the order of its files, or what came last or by title first. */
  artistTracks ({ number }: CatalogueArtist, slice: Slice, order?: ArtistOrder): CatalogueTrack[] {
    return this.tracks.list(artistTracks(this.#db, number, slice, order))
  }

  /** The same tracks, with how many playlist files each is in. */
  artistHeat ({ number }: CatalogueArtist) { return artistHeat(this.#db, number) }

  /** The albums of an artist, the newest first, then those of others with the artist's tracks. */
  artistAlbums ({ number }: CatalogueArtist, slice: Slice): CatalogueAlbum[] {
    return this.albums.list(artistAlbums(this.#db, number, slice))
  }

  /** Those with the most tracks. */
  topArtists (limit: number): CatalogueArtist[] {
    return this.artists.list(this.#numbers(
      'SELECT number FROM artist WHERE tracks > 0 ORDER BY tracks DESC, sort, number LIMIT ?', limit))
  }

  /** The album to which something was added last comes first; the tracks of each are in their order. */
  newTracks (limit: number): CatalogueTrack[] {
    return this.#tracks(`
      SELECT track.number
      FROM (SELECT DISTINCT album FROM (SELECT album FROM track ORDER BY added DESC LIMIT ?1)) AS latest
        CROSS JOIN album ON album.number = latest.album CROSS JOIN track ON track.album = album.number
      ORDER BY album.added DESC, album.number, track.disc, track.place, track.sort, track.number LIMIT ?1`, limit)
  }

  /**
   * Some tracks that have nothing in common: those whose ids come first from an id on, and from the beginning where
   * there are no more.
   */
  tracksFrom (id: string, limit: number): CatalogueTrack[] {
    const numbers = this.#numbers('SELECT number FROM track WHERE id >= ? ORDER BY id LIMIT ?', id, limit)
    return this.tracks.list([...numbers, ...this.#numbers(
      'SELECT number FROM track WHERE id < ? ORDER BY id LIMIT ?', id, limit - numbers.length)])
  }

  /** Tracks like this one: by the same artists, of the same genres; those of its era first. */
  similarTracks (track: CatalogueTrack, limit: number): CatalogueTrack[] {
    return this.tracks.list(findSimilar(this.#db, track, limit))
  }

  /** The track that has a file, by its path in the composed form, or in another case where one file has such a path. */
  trackAt (path: string): CatalogueTrack | undefined {
    const found = trackAt(this.#db, path) ?? trackInAnyCase(this.#db, path)
    return found && this.tracks.at(found.number)
  }

  /** Whether a track has a file below a folder, by its path in the composed form. */
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
    kind: Kind, table: ItemTable<T, any>, keyword: string, { offset = 0, limit }: Slice
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
