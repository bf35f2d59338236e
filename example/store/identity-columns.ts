import { sql, type Kysely } from 'kysely'

const columns = [
  // As `hashAudio` gives it; null where it was not asked for yet.
  sql`ALTER TABLE file ADD COLUMN audio TEXT`,
  // The id that the file brings to its track; null where it has the one that its tags make.
  sql`ALTER TABLE file ADD COLUMN own TEXT`,
  // The id that its audio had, while another file has it, which may turn out to be gone.
  sql`ALTER TABLE file ADD COLUMN claim TEXT`,
  // Whether what it is recognised by is in `identities.sqlite`.
  sql`ALTER TABLE file ADD COLUMN settled INTEGER NOT NULL DEFAULT 0`,
  sql`CREATE INDEX file_unsettled ON file (claim) WHERE settled = 0 AND recording IS NOT NULL`,
  sql`CREATE INDEX file_unhashed ON file (folder, name) WHERE audio IS NULL AND recording IS NOT NULL`
]

/** Adds to the files what they are recognised by. */
export async function addIdentities (db: Kysely<any>): Promise<void> {
  for (const column of columns) await column.execute(db)
}
