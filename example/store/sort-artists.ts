import { letterOf, sortKey, withoutArticle } from 'fastify-source-origin/library'
import { sql, type Kysely } from 'kysely'

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
