import { sql, type Migration } from 'kysely'
import { indexTyped } from '../catalogue/index-typed.ts'
import { addAlbums } from './album-columns.ts'
import { addArtistExtras } from './artist-columns.ts'
import { addExtras } from './extras-columns.ts'
import { addIdentities } from './identity-columns.ts'
import { sortArtists } from './sort-artists.ts'
import { sortNames } from './sort-names.ts'
import { tracksAsTheyCame } from './track-order.ts'

/** The form of the index before it had tables. It is taken over: it says when the files arrived. */
const before = 3

/**
 * Words are what `wordsOf` makes, with spaces between them, so everything but a space belongs to a word. The second
 * column are the artists and the album, the third one long words from their end, which typing errors are found by.
 */
const searchTable = (name: string) => sql.raw(`
  CREATE VIRTUAL TABLE ${name} USING fts5(
    name, more, back, content = '', contentless_delete = 1, prefix = '1 2',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'")`)

/**
 * Makes the tables of the library, forward only. A migration that was published never changes.
 *
 * The number of a track, an album or an artist is made of the length of its name and of its id: searches find short
 * names first, and the same database is made of the same files, whatever came first.
 */
export const libraryMigrations: Readonly<Record<string, Migration>> = {
  'library-4': {
    async up (db) {
      const { rows: [version] } = await sql<{ user_version: number }>`PRAGMA user_version`.execute(db)
      if (version!.user_version !== before) {
        for (const table of ['files', 'home', 'mounts']) await db.schema.dropTable(table).ifExists().execute()
      }
      for (const statement of statements) await statement.execute(db)
      // An older version of this source makes it anew then, and does not take it for its own.
      await sql`PRAGMA user_version = 4`.execute(db)
    }
  },
  // Files of a recording are found by the paths of its tracks, and most recordings are one track of the same id.
  'library-5': {
    async up (db) {
      for (const index of ['file_recording', 'track_recording']) await db.schema.dropIndex(index).execute()
      await sql`CREATE INDEX track_part ON track (recording) WHERE recording <> id`.execute(db)
    }
  },
  // Rows of tracks are in the order in which they came, so that those of a change are together, and not in that of
  // their numbers, which have nothing in common.
  'library-6': {
    async up (db) {
      for (const statement of tracksAsTheyCame) await statement.execute(db)
    }
  },
  // Playlist files are read again: the names that their lines are found by were made otherwise.
  'library-7': {
    async up (db) {
      await db.updateTable('playlist').set({ mtime: null }).where('file', 'is not', null).execute()
    }
  },
  // Items are found by words as they are typed without signs, too.
  'library-8': { up: indexTyped },
  'library-9': { up: addIdentities },
  // Names are in the order of texts.
  'library-90': { up: addExtras },
  // How long albums are, in milliseconds, was in their tracks alone.
  'library-91': {
    async up (db) {
      await sql`ALTER TABLE album ADD COLUMN duration INTEGER NOT NULL DEFAULT 0`.execute(db)
      await sql`
        UPDATE album SET duration = coalesce(
          (SELECT sum(data ->> '$.durationMs') FROM track WHERE album = album.number), 0)`.execute(db)
    }
  },
  'library-92': { up: addAlbums },
  // Lines of playlists name files in another case too. They are read again.
  'library-93': {
    async up (db) {
      await sql`CREATE INDEX file_any_case ON file (folder COLLATE NOCASE, name COLLATE NOCASE)`.execute(db)
      await sql`UPDATE playlist SET mtime = NULL WHERE file IS NOT NULL`.execute(db)
    }
  },
  'library-94': { up: sortArtists },
  'library-95': { up: addArtistExtras },
  'library-96': { up: sortNames }
}

const statements = [
  // Which folder the files were in, and what was mounted inside of it.
  sql`CREATE TABLE IF NOT EXISTS home (id INTEGER PRIMARY KEY, folder TEXT NOT NULL)`,
  sql`CREATE TABLE IF NOT EXISTS mounts (path TEXT PRIMARY KEY, folder TEXT NOT NULL)`,

  // What was read of each file. One without a recording could not be read: it is tried again when it has changed.
  sql`CREATE TABLE file (
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    recording TEXT,
    -- The recording as it was read, where the files of an album were repaired together.
    read_as TEXT,
    -- What the files have in common whose tags are repaired together.
    album_texts TEXT,
    quality TEXT,
    -- Its path in the composed form, where it has another one.
    composed TEXT,
    added INTEGER,
    tags TEXT,
    UNIQUE (folder, name)
  )`,
  sql`CREATE INDEX file_recording ON file (recording) WHERE recording IS NOT NULL`,
  sql`CREATE INDEX file_read_as ON file (read_as) WHERE read_as IS NOT NULL`,
  sql`CREATE INDEX file_album_texts ON file (album_texts) WHERE album_texts IS NOT NULL`,
  sql`CREATE INDEX file_quality ON file (quality) WHERE quality IS NOT NULL`,
  sql`CREATE INDEX file_composed ON file (composed) WHERE composed IS NOT NULL`,

  // The path is that of its first file. Tracks of an album are in the order of its index.
  sql`CREATE TABLE track (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    recording TEXT NOT NULL,
    path TEXT NOT NULL,
    album INTEGER NOT NULL,
    disc INTEGER NOT NULL,
    place INTEGER NOT NULL,
    sort TEXT NOT NULL,
    published INTEGER,
    added INTEGER NOT NULL,
    data TEXT NOT NULL
  )`,
  sql`CREATE INDEX track_album_added ON track (album, added)`,
  sql`CREATE INDEX track_recording ON track (recording)`,
  sql`CREATE INDEX track_album ON track (album, disc, place, sort, number)`,
  sql`CREATE INDEX track_added ON track (added DESC, album, disc, place, sort, number)`,

  sql`CREATE TABLE album (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    artist INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- The artist as its first track writes it.
    credited TEXT NOT NULL,
    sort TEXT NOT NULL,
    published INTEGER,
    genre TEXT,
    letter TEXT,
    year INTEGER,
    added INTEGER,
    tracks INTEGER NOT NULL
  )`,
  sql`CREATE INDEX album_sort ON album (sort, number, tracks, letter, year, added)`,
  sql`CREATE INDEX album_artist ON album (artist, published DESC, sort, number)`,

  // The cover is that of an album, by its id. Tracks are those that the artist plays on.
  sql`CREATE TABLE artist (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    sort TEXT NOT NULL,
    cover TEXT,
    letter TEXT,
    added INTEGER,
    tracks INTEGER NOT NULL
  )`,
  sql`CREATE INDEX artist_sort ON artist (sort, number, tracks, letter, added)`,
  sql`CREATE INDEX artist_tracks ON artist (tracks DESC, sort, number)`,

  // Who has a part in a track. One that has not played has the album.
  sql`CREATE TABLE credit (
    artist INTEGER NOT NULL,
    path TEXT NOT NULL,
    track INTEGER NOT NULL,
    played INTEGER NOT NULL,
    name TEXT NOT NULL,
    added INTEGER NOT NULL,
    PRIMARY KEY (artist, path)
  ) WITHOUT ROWID`,
  sql`CREATE INDEX credit_added ON credit (artist, added)`,

  sql`CREATE TABLE genre_track (
    genre TEXT NOT NULL,
    path TEXT NOT NULL,
    track INTEGER NOT NULL,
    name TEXT NOT NULL,
    added INTEGER NOT NULL,
    PRIMARY KEY (genre, path)
  ) WITHOUT ROWID`,
  sql`CREATE INDEX genre_track_added ON genre_track (genre, added)`,

  // Playlist files, and one playlist for each genre.
  sql`CREATE TABLE playlist (
    id TEXT PRIMARY KEY,
    genre TEXT,
    folder TEXT,
    file TEXT,
    size INTEGER,
    mtime INTEGER,
    name TEXT NOT NULL,
    sort TEXT NOT NULL,
    genres TEXT NOT NULL,
    tracks INTEGER NOT NULL,
    cover TEXT,
    updated INTEGER NOT NULL
  )`,
  sql`CREATE INDEX playlist_folder ON playlist (folder) WHERE folder IS NOT NULL`,

  // The lines of playlist files. A stale one has to be looked for again, since a file of that name has changed.
  sql`CREATE TABLE entry (
    playlist TEXT NOT NULL,
    place INTEGER NOT NULL,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    track INTEGER,
    stale INTEGER NOT NULL,
    PRIMARY KEY (playlist, place)
  ) WITHOUT ROWID`,
  sql`CREATE INDEX entry_name ON entry (name)`,
  sql`CREATE INDEX entry_track ON entry (track) WHERE track IS NOT NULL`,
  sql`CREATE INDEX entry_stale ON entry (playlist, place) WHERE stale = 1`,

  searchTable('track_words'),
  searchTable('album_words'),
  searchTable('artist_words'),
  ...['track', 'album', 'artist'].map(kind =>
    sql.raw(`CREATE VIRTUAL TABLE ${kind}_spellings USING fts5vocab(${kind}_words, 'row')`))
]
