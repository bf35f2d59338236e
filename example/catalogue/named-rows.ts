import { artistId, idOf, plainName } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import type { IndexDatabase } from '../database/index-database.ts'

/** Short names come first in the order of numbers. */
export const numberOf = (name: string, id: string) =>
  Math.min(plainName(name).length, 511) * 2 ** 44 + Number.parseInt(id.slice(0, 11), 16)

/** What numbers of names of one length have in common. */
export const lengthIn = (number: number): number => Math.floor(number / 2 ** 44)

/** A number that no row has, mostly the wanted one: two ids may begin alike. */
export function freeNumber (db: IndexDatabase, table: string, wanted: number): number {
  let number = wanted
  while (db.get(`SELECT 1 FROM ${table} WHERE number = ?`, number) !== undefined) number++
  return number
}

interface NamedRow { readonly id: string, readonly number: number }

/** An artist as a track writes it. */
export interface NamedArtist extends NamedRow { readonly name: string }

/** The artists and albums that tracks of one change name; what else is kept of them is made later. */
export class NamedRows {
  readonly #db: IndexDatabase
  readonly #touched: Record<'albums' | 'artists', Map<number, number>>
  readonly #artists = new Map<string, NamedRow>()
  readonly #albums = new Map<string, number>()

  /** @param touched is told of each of them */
  constructor (db: IndexDatabase, touched: Record<'albums' | 'artists', Map<number, number>>) {
    this.#db = db
    this.#touched = touched
  }

  /** One of each, as it is written first. */
  artists (names: readonly string[]): NamedArtist[] {
    const artists = new Map<number, NamedArtist>()
    for (const name of names.toReversed()) {
      const row = this.#artist(name)
      artists.delete(row.number)
      artists.set(row.number, { ...row, name })
    }
    return [...artists.values()].reverse()
  }

  #artist (name: string): NamedRow {
    let artist = this.#artists.get(name)
    if (artist === undefined) {
      const id = artistId(name)
      artist = this.#known('artist', id)
      if (artist === undefined) {
        artist = { id, number: freeNumber(this.#db, 'artist', numberOf(name, id)) }
        this.#db.run(
          'INSERT INTO artist (number, id, name, sort, tracks) VALUES (?, ?, \'\', \'\', 0)', artist.number, id)
      }
      this.#artists.set(name, artist)
    }
    this.#touched.artists.set(artist.number, this.#touched.artists.get(artist.number) ?? 0)
    return artist
  }

  /** @returns its number */
  album ({ album: name, edition }: Pick<AudioFile, 'album' | 'edition'>, artists: readonly NamedRow[]): number {
    const plain = [...artists.map(({ id }) => id).sort(), plainName(name)].join(' ')
    const key = JSON.stringify([plain, edition])
    let number = this.#albums.get(key)
    if (number === undefined) {
      const id = edition === undefined ? idOf('album', plain) : idOf('album', plain, edition)
      number = this.#known('album', id)?.number
      if (number === undefined) {
        number = freeNumber(this.#db, 'album', numberOf(name, id))
        this.#db.run(`
          INSERT INTO album (number, id, artist, name, credited, sort, tracks) VALUES (?, ?, ?, '', '', '', 0)`,
        number, id, artists[0]!.number)
      }
      this.#albums.set(key, number)
    }
    this.#touched.albums.set(number, this.#touched.albums.get(number) ?? 0)
    return number
  }

  #known (table: 'artist' | 'album', id: string): NamedRow | undefined {
    return this.#db.get<NamedRow>(`SELECT number, id FROM ${table} WHERE id = ?`, id)
  }
}
