import { artistId, idOf, plainName } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import type { IndexDatabase } from '../database/index-database.ts'

/** Returns a row number that sorts short names first. */
export const numberOf = (name: string, id: string) =>
  Math.min(plainName(name).length, 511) * 2 ** 44 + Number.parseInt(id.slice(0, 11), 16)

/** Returns the part of a number that depends on the length of the name. */
export const lengthIn = (number: number): number => Math.floor(number / 2 ** 44)

/** Returns an unused number, mostly the requested one: two ids may have the same beginning. */
export function freeNumber (db: IndexDatabase, table: string, wanted: number): number {
  let number = wanted
  while (db.get(`SELECT 1 FROM ${table} WHERE number = ?`, number) !== undefined) number++
  return number
}

interface NamedRow { readonly id: string, readonly number: number }

/** An artist in a track's spelling. */
export interface NamedArtist extends NamedRow { readonly name: string }

/** The rows of artists and albums of a change's tracks. Other columns are updated later. */
export class NamedRows {
  readonly #db: IndexDatabase
  readonly #touched: Record<'albums' | 'artists', Map<number, number>>
  readonly #artists = new Map<string, NamedRow>()
  readonly #albums = new Map<string, number>()

  /** @param touched receives the number of each row */
  constructor (db: IndexDatabase, touched: Record<'albums' | 'artists', Map<number, number>>) {
    this.#db = db
    this.#touched = touched
  }

  /** Returns the rows of the artists without duplicates, in the first spelling. */
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

  /** @returns the number of the album */
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
