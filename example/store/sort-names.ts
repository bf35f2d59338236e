import { letterOf, sortKey, withoutArticle } from 'fastify-source-origin/library'
import { sql, type Kysely } from 'kysely'

/** Sorts names without what is before their first letter, and puts them under the letters that all lists have now. */
export async function sortNames (db: Kysely<any>): Promise<void> {
  for (const table of ['track', 'album', 'artist', 'playlist']) {
    const { rows } = await sql<{ row: number, sort: string }>`
      SELECT rowid AS row, sort FROM ${sql.table(table)} WHERE sort GLOB '[^0-9a-z]*'`.execute(db)
    for (const { row, sort } of rows) {
      // What was folded stays the same.
      await sql`UPDATE ${sql.table(table)} SET sort = ${sortKey(sort)} WHERE rowid = ${row}`.execute(db)
    }
  }
  for (const [table, nameOf] of [['album', (name: string) => name], ['artist', withoutArticle]] as const) {
    const { rows } = await sql<{ number: number, name: string, letter: string | null }>`
      SELECT number, name, letter FROM ${sql.table(table)}`.execute(db)
    for (const { number, name, letter } of rows) {
      const now = letterOf(nameOf(name))
      if (now === letter) continue
      await sql`UPDATE ${sql.table(table)} SET letter = ${now} WHERE number = ${number}`.execute(db)
    }
  }
}
