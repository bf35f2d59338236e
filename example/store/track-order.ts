import { sql } from 'kysely'

const columns = 'number, id, recording, path, album, disc, place, sort, published, added, data'

/** Gives the rows of tracks the order in which they came. */
export const tracksAsTheyCame = [
  sql`CREATE TABLE moved (
    number INTEGER NOT NULL UNIQUE,
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
  sql.raw(`INSERT INTO moved (${columns}) SELECT ${columns} FROM track ORDER BY album, disc, place, sort, number`),
  sql`DROP TABLE track`,
  sql`ALTER TABLE moved RENAME TO track`,
  sql`CREATE INDEX track_album_added ON track (album, added)`,
  sql`CREATE INDEX track_album ON track (album, disc, place, sort, number)`,
  sql`CREATE INDEX track_added ON track (added DESC, album, disc, place, sort, number)`,
  sql`CREATE INDEX track_part ON track (recording) WHERE recording <> id`
]
