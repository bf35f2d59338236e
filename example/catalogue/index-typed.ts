import { sql, type Kysely } from 'kysely'
import { columnsOf, hasTyped, moreOfTrack, type Kind } from './search-words.ts'
import type { TrackData } from './track-rows.ts'

/** Makes items of an older library findable by words as they are typed without signs. */
export async function indexTyped (db: Kysely<any>): Promise<void> {
  await indexAgain(db, 'track', 'data', ({ data }) => {
    const { title, artists, album } = JSON.parse(data!) as TrackData
    return [title, moreOfTrack(artists, album)]
  })
  await indexAgain(db, 'album', 'name, credited', ({ name, credited }) => [name!, credited!])
  await indexAgain(db, 'artist', 'name', ({ name }) => [name!, ''])
}

type Row = Readonly<Record<string, string>> & { readonly number: number }

/** Makes the words of items again that are found by typed ones. */
async function indexAgain (
  db: Kysely<any>, kind: Kind, columns: string, textsOf: (row: Row) => [name: string, more: string]
): Promise<void> {
  const words = sql.table(`${kind}_words`)
  const behind = (number: number) => sql<Row>`
    ${sql.raw(`SELECT number, ${columns} FROM ${kind}`)} WHERE number > ${number} ORDER BY number LIMIT 200`.execute(db)
  for (let { rows } = await behind(-1); rows.length > 0; { rows } = await behind(rows.at(-1)!.number)) {
    for (const row of rows) {
      const texts = columnsOf(...textsOf(row))
      if (!hasTyped(texts)) continue
      await sql`DELETE FROM ${words} WHERE rowid = ${row.number}`.execute(db)
      await sql`INSERT INTO ${words} (rowid, name, more, back) VALUES (${sql.join([row.number, ...texts])})`.execute(db)
    }
  }
}
