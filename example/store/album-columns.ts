import { sql, type Kysely } from 'kysely'

const changes = [
  // As `albumColumns` makes them.
  sql`ALTER TABLE file ADD COLUMN album_group TEXT`,
  sql`ALTER TABLE file ADD COLUMN album_credit TEXT`,
  sql`ALTER TABLE file ADD COLUMN album_key TEXT`,
  sql`ALTER TABLE file ADD COLUMN album_part TEXT`,
  sql`CREATE INDEX file_album_group ON file (album_group, album_credit) WHERE album_credit IS NOT NULL`,
  sql`CREATE INDEX file_album_key ON file (album_key, album_part) WHERE album_key IS NOT NULL`,
  // Files are read again: which tag tells the artist of the album, and the release, was not kept.
  sql`UPDATE file SET mtime = -1 WHERE recording IS NOT NULL`
]

/** Adds to the files what tells their albums. */
export async function addAlbums (db: Kysely<any>): Promise<void> {
  for (const change of changes) await change.execute(db)
}
