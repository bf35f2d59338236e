import {
  extras, type Album, type LibraryFacets, type LibraryItems, type LibraryKind, type LibraryQuery, type RandomIds,
  type SourceLibrary
} from 'fastify-source-origin'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CatalogueAlbum } from '../catalogue/catalogue-items.ts'
import { playedSorts } from '../catalogue/library-lists.ts'
import type { Describer } from './describe.ts'
import type { Heard } from '../catalogue/listened.ts'

/** The plays of an account. */
export interface HeardMusic {
  /** Returns the played tracks. */
  heard (): Promise<readonly Heard[]>
  /** Returns the sums of albums by id. */
  heardAlbums (): Promise<ReadonlyMap<string, Heard>>
}

const kinds = { artists: 'artist', albums: 'album', tracks: 'track' } as const

/** The library of a folder for one account. */
export class FolderLibrary implements SourceLibrary {
  readonly #catalogue: Catalogue
  readonly #describe: Describer
  readonly #listener: HeardMusic | undefined

  /** @param listener the plays of the account; none without accounts */
  constructor (catalogue: Catalogue, describe: Describer, listener?: HeardMusic) {
    this.#catalogue = catalogue
    this.#describe = describe
    this.#listener = listener
  }

  get revision (): string { return this.#catalogue.revision }

  get changedAt (): number { return this.#catalogue.changedAt }

  async ids (query: LibraryQuery): Promise<string[] | AsyncIterable<string[]>> {
    const heard = query.sort !== undefined && playedSorts.includes(query.sort)
      ? await this.#listener?.heard() ?? []
      : undefined
    return this.#catalogue.ids(query, heard)
  }

  randomIds (query: LibraryQuery, count: number): RandomIds { return this.#catalogue.randomIds(query, count) }

  async items<K extends LibraryKind> (kind: K, ids: readonly string[]): Promise<(LibraryItems[K] | undefined)[]>
  async items (kind: LibraryKind, ids: readonly string[]): Promise<unknown[]> {
    const { artists, albums, tracks } = this.#catalogue
    if (kind === 'artists') return artists.some(ids).map(artist => artist && this.#describe.artist(artist))
    if (kind === 'tracks') return tracks.some(ids).map(track => track && this.#describe.track(track))
    const heard = await this.#listener?.heardAlbums()
    return albums.some(ids).map(album => album && this.#album(album, heard))
  }

  facets (kind: LibraryKind): LibraryFacets {
    const facets = this.#catalogue.facets(kind)
    return this.#listener !== undefined && kind === 'albums'
      ? { ...facets, sorts: [...facets.sorts, ...playedSorts] }
      : facets
  }

  currentIds (kind: LibraryKind, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#catalogue.currentIds(kinds[kind], ids)
  }

  #album (album: CatalogueAlbum, heard: ReadonlyMap<string, Heard> | undefined): Album {
    const described = this.#describe.album(album)
    if (heard === undefined) return described
    const { plays, last } = heard.get(album.id) ?? { plays: 0 }
    const played = last === undefined ? {} : { played: new Date(last).toISOString() }
    return { ...described, [extras]: { ...described[extras], playCount: plays, ...played } }
  }
}
