import { Kysely, Migrator, PostgresDialect } from 'kysely'
import { kyselyStore, migrations } from 'fastify-source-origin/accounts/kysely'
import pg from 'pg'
import type { Test } from 'tap'

/** Time that passes when the test says so: the clocks, and `setTimeout`. */
export function fakeTime (t: Test) {
  let now = 1_000_000
  const started = Date.now()
  let timers: { at: number, run: () => void }[] = []
  t.capture(Date, 'now', () => started + now)
  t.capture(performance, 'now', () => now)
  t.capture(globalThis, 'setTimeout', ((run: () => void, delay: number) => {
    const timer = { at: now + delay, run }
    timers.push(timer)
    return timer
  }) as unknown as typeof setTimeout)
  t.capture(globalThis, 'clearTimeout', ((timer: unknown) => {
    timers = timers.filter(other => other !== timer)
  }) as typeof clearTimeout)
  return {
    timers: () => timers.length,
    advance (milliseconds: number) {
      now += milliseconds
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { run } of due) run()
    }
  }
}

/** A store with its tables made, closed with the test. */
export async function openStore<DB> (t: Test, db: Kysely<DB>) {
  t.teardown(() => db.destroy())
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations }, migrationTableName: 'accounts_migration' })
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
  return kyselyStore(db)
}

/** As one replica has it. */
export function postgresOf (url: string, max = 10) {
  const pool = new pg.Pool({ connectionString: url, max })
  // Without these, a server that stops ends the process.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
}
