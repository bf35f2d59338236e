import { sql, type Kysely } from 'kysely'

/** Plays of a track that are closer together were counted twice: by its audio, and by an app that told it. */
const between = 30 * 60 * 1000
/** Rows that are written at a time. */
const atATime = 200

/** Makes the table of plays without half hours, with what Subsonic apps have told, which was kept apart. */
export async function onePlays (db: Kysely<any>): Promise<void> {
  const { schema } = db
  await schema.createTable('heard')
    .addColumn('account', 'text', column => column.notNull())
    .addColumn('track', 'text', column => column.notNull())
    .addColumn('played_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('heard_key', ['account', 'track', 'played_at'])
    .execute()
  await sql`insert into heard (account, track, played_at) select distinct account, track, played_at from play`
    .execute(db)
  await schema.dropTable('play').execute()
  await schema.alterTable('heard').renameTo('play').execute()
  await schema.createIndex('play_account_time').on('play').columns(['account', 'played_at']).execute()

  const texts = await db.selectFrom('subsonic').select(['account', 'value']).where('name', '=', 'plays').execute()
  for (const { account, value } of texts) {
    const kept = await db.selectFrom('play').select(['track', 'played_at']).where('account', '=', account).execute()
    const known = new Map<string, number[]>()
    for (const { track, played_at: at } of kept) known.set(track, [...known.get(track) ?? [], Number(at)])
    const now = Date.now()
    const added = (JSON.parse(value) as { id: string, at: number }[]).flatMap(({ id: track, at }) => {
      // Some apps told seconds, or times of the future.
      const time = Math.min(at < 1e11 ? at * 1000 : at, now)
      const times = known.get(track) ?? []
      if (times.some(other => Math.abs(other - time) < between)) return []
      known.set(track, [...times, time])
      return [{ account, track, played_at: time }]
    })
    for (let from = 0; from < added.length; from += atATime) {
      await db.insertInto('play').values(added.slice(from, from + atATime)).execute()
    }
  }
  await db.deleteFrom('subsonic').where('name', 'in', ['plays', 'playing']).execute()
}
