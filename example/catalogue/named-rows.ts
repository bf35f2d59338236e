import { idOf, plainName } from '../scan/identify.ts'
import type { LibraryDatabase } from '../store/library-database.ts'

/** Short names come first in the order of numbers. */
export const numberOf = (name: string, id: string) =>
  Math.min(plainName(name).length, 511) * 2 ** 44 + Number.parseInt(id.slice(0, 11), 16)

/** A number that nothing has: two ids may begin alike. */
export const freeNumber = (table: string) => `coalesce((SELECT number + 1 FROM ${table} WHERE number = ?1), ?1)`

interface NamedRow { readonly id: string, readonly number: number }

/** The artists and albums that tracks of one change name; what else is kept of them is made later. */
export class NamedRows {
  readonly #db: LibraryDatabase
  readonly #touched: Record<'albums' | 'artists', Map<number, number>>
  readonly #artists = new Map<string, NamedRow>()
  readonly #albums = new Map<string, number>()

  /** @param touched is told of each of them */
  constructor (db: LibraryDatabase, touched: Record<'albums' | 'artists', Map<number, number>>) {
    this.#db = db
    this.#touched = touched
  }

  artist (name: string): NamedRow {
    let artist = this.#artists.get(name)
    if (artist === undefined) {
      const id = idOf('artist', plainName(name))
      artist = this.#row('artist', id) ?? {
        id,
        number: this.#db.run(
          `INSERT INTO artist (number, id, name, sort, tracks) VALUES (${freeNumber('artist')}, ?2, '', '', 0)`,
          numberOf(name, id), id)
      }
      this.#artists.set(name, artist)
    }
    this.#touched.artists.set(artist.number, this.#touched.artists.get(artist.number) ?? 0)
    return artist
  }

  /** @returns its number */
  album (name: string, artist: NamedRow): number {
    const key = `${artist.id} ${plainName(name)}`
    let album = this.#albums.get(key)
    if (album === undefined) {
      const id = idOf('album', key)
      album = this.#row('album', id)?.number ?? this.#db.run(`
        INSERT INTO album (number, id, artist, name, credited, sort, tracks)
        VALUES (${freeNumber('album')}, ?2, ?3, '', '', '', 0)`,
      numberOf(name, id), id, artist.number)
      this.#albums.set(key, album)
    }
    this.#touched.albums.set(album, this.#touched.albums.get(album) ?? 0)
    return album
  }

  #row (table: 'artist' | 'album', id: string): NamedRow | undefined {
    return this.#db.get<NamedRow>(`SELECT number, id FROM ${table} WHERE id = ?`, id)
  }
}
