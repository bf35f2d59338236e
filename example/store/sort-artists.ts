import { sql, type Kysely } from 'kysely'
import { letterOf } from '../text/letter-of.ts'
import { sortKey } from '../text/sort-key.ts'
import { withoutArticle } from '../text/without-article.ts'

/** Sorts artists by their names without articles. */
export async function sortArtists (db: Kysely<any>): Promise<void> {
  const { rows } = await sql<{ number: number, name: string }>`
    SELECT number, name FROM artist WHERE name LIKE 'the %' OR name LIKE 'el %' OR name LIKE 'l__ %' OR name LIKE 'l_ %'
    `.execute(db)
  for (const { number, name } of rows) {
    const sorted = withoutArticle(name)
    await sql`UPDATE artist SET sort = ${sortKey(sorted)}, letter = ${letterOf(sorted)} WHERE number = ${number}`
      .execute(db)
  }
}
