import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openSqlite } from '../../example/database/open-sqlite.ts'

// When a file arrived depends on when it was seen, and the id of a track on what its files were before.
const tables: Record<string, string> = {
  file: `folder, name, size, mtime, recording, read_as, album_texts, quality, composed, tags, album_group, album_credit,
    album_key, album_part`,
  track: 'number, recording, path, album, disc, place, sort, published, data',
  album: 'number, id, artist, name, credited, sort, published, genre, letter, year, tracks, duration, extras',
  artist: 'number, id, name, sort, cover, letter, tracks, extras',
  credit: 'artist, path, track, played, name, extras',
  part: '*',
  genre_track: 'genre, path, track, name',
  playlist: 'id, genre, folder, file, size, mtime, name, sort, genres, tracks, cover',
  entry: '*'
}

/** Rows of a library, by their tables. */
export type Rows = Record<string, string[]>

/** All rows of the library in a data folder, which may be in use. */
export function rowsOf (dataDir: string): Rows {
  const copy = mkdtempSync(join(tmpdir(), 'rows-'))
  try {
    for (const file of readdirSync(dataDir).filter(name => /^index\.sqlite(-wal)?$/.test(name))) {
      copyFileSync(join(dataDir, file), join(copy, file))
    }
    const database = openSqlite(join(copy, 'index.sqlite'))
    const rows = Object.fromEntries(Object.entries(tables).map(([table, columns]) =>
      [table, database.all(`SELECT ${columns} FROM ${table}`).map(row => JSON.stringify(row)).sort()]))
    database.close()
    return rows
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** The first table whose rows differ, with the rows that only one of both has; `undefined` where none does. */
export function differenceOf (rows: Rows, expected: Rows): string | undefined {
  for (const table of Object.keys(tables)) {
    const [found, due] = [rows[table]!, expected[table]!]
    if (isDeepStrictEqual(found, due)) continue
    const only = (some: string[], others: string[]) => some.filter(row => !others.includes(row)).join('\n')
    return `${table}, ${found.length} of ${due.length} rows:\n${only(found, due)}\nand not\n${only(due, found)}`
  }
  return undefined
}
