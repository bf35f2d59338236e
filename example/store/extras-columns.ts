import { sql, type Kysely } from 'kysely'

const changes = [
  // What the tags of its tracks tell of an album, in JSON.
  sql`ALTER TABLE album ADD COLUMN extras TEXT`,
  sql`CREATE INDEX track_explicit ON track (album, data ->> '$.extras.explicitStatus')
    WHERE data ->> '$.extras.explicitStatus' IS NOT NULL`,
  // Finds tracks of other years than their album.
  sql`CREATE INDEX track_published ON track (album, published)`,
  // Files are read again for what else their tags tell; until then what is known of them is served.
  sql`UPDATE file SET mtime = -1 WHERE recording IS NOT NULL`
]

/** Adds what tags tell besides names and numbers. */
export async function addExtras (db: Kysely<any>): Promise<void> {
  for (const change of changes) await change.execute(db)
}
