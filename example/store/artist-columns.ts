import { sql, type Kysely } from 'kysely'

const changes = [
  // What tags tell of an artist, in JSON: in each track, and of the artist.
  sql`ALTER TABLE credit ADD COLUMN extras TEXT`,
  sql`CREATE INDEX credit_extras ON credit (artist, path) WHERE extras IS NOT NULL`,
  sql`ALTER TABLE artist ADD COLUMN extras TEXT`,
  // Who else has a part in a track: ids of artists, some of which have no row.
  sql`CREATE TABLE part (
    artist TEXT NOT NULL,
    role TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (artist, role, path)
  ) WITHOUT ROWID`,
  // Finds the albums of years.
  sql`CREATE INDEX track_year ON track (published, album)`,
  // Files are read again, and tracks made again then, also those of which nothing else is new.
  sql`UPDATE file SET mtime = -1 WHERE recording IS NOT NULL`,
  sql`UPDATE track SET data = json_set(data, '$.isOld', 1) WHERE data ->> '$.extras.contributors' IS NOT NULL`
]

/** Adds what tags tell of artists. */
export async function addArtistExtras (db: Kysely<any>): Promise<void> {
  for (const change of changes) await change.execute(db)
}
