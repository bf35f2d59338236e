import { kyselyStore, migrations, openPostgres } from 'fastify-source-origin/accounts/kysely'
import {
  Kysely,
  Migrator,
  MssqlAdapter,
  MysqlAdapter,
  DummyDriver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler
} from 'kysely'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { sqliteDialect } from '../../../example/database/sqlite-dialect.ts'
import { startPostgres } from '../../postgres.ts'
import { skipWithout } from '../../services.ts'
import { postgresOf } from '../helper.ts'

skipWithout('PostgreSQL', t, /^PostgreSQL/)

const dialectOf = (Adapter: new () => PostgresAdapter) => ({
  createAdapter: () => new Adapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler()
})

const refused: Record<string, unknown> = {
  nothing: undefined,
  null: null,
  'a pool': { connect () {}, query () {} },
  MySQL: new Kysely({ dialect: dialectOf(MysqlAdapter) }),
  'Microsoft SQL Server': new Kysely({ dialect: dialectOf(MssqlAdapter) })
}
for (const [what, db] of Object.entries(refused)) {
  t.test(`${what}: refused`, async t => {
    t.throws(() => kyselyStore(db as Kysely<unknown>), {
      code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: 'Option "db" must be a Kysely for SQLite or PostgreSQL'
    })
  })
}

t.test('a Kysely of another copy of the library is one too', async t => {
  const other = createRequire(import.meta.url)('kysely') as typeof import('kysely')
  t.not(other.Kysely, Kysely)
  t.ok(kyselyStore(new other.Kysely({ dialect: dialectOf(other.PostgresAdapter) })))
})

const engines = {
  SQLite: async (t: Test) => {
    const db = new Kysely<unknown>({ dialect: sqliteDialect(join(t.testdir(), 'test.sqlite'), { warn () {} }) })
    return [db, db]
  },
  PostgreSQL: async (t: Test) => {
    const { url } = await startPostgres(t)
    return [postgresOf(url), postgresOf(url)]
  }
}
for (const [engine, open] of Object.entries(engines)) {
  t.test(`${engine}: replicas that migrate at the same time, and again, do no harm`, async t => {
    const replicas = await open(t)
    const migrate = (db: Kysely<unknown>) =>
      new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest()
    for (let round = 0; round < 2; round++) {
      for (const { error } of await Promise.all(replicas.map(migrate))) t.equal(error, undefined)
    }
    t.equal(await kyselyStore(replicas[0]!).findToken('none'), undefined)
    // Before the folder goes.
    for (const db of new Set(replicas)) await db.destroy()
  })

  t.test(`${engine}: a migration that was cut short runs again`, async t => {
    const [db] = await open(t)
    t.teardown(() => db!.destroy())
    const { up } = migrations['source-origin-accounts-1']!
    await up(db!)
    await db!.schema.dropTable('source_origin_session').execute()
    await up(db!)
    t.equal(await kyselyStore(db!).loadSession('none'), undefined)
    for (const version of [2, 3, 4, 5]) {
      const { up: addColumn } = migrations[`source-origin-accounts-${version}`]!
      await addColumn(db!)
      await addColumn(db!)
    }
    t.equal(await kyselyStore(db!).findToken('none'), undefined)
  })

  t.test(`${engine}: the tokens of a database of the version before stay as they are`, async t => {
    const [db] = await open(t) as Kysely<any>[]
    t.teardown(() => db!.destroy())
    const [first, ...later] = Object.values(migrations)
    await first!.up(db!)
    const row = { id: 'one', account: 'ann', hash: 'AA==', label: 'phone', created_at: 1, expires_at: 2 }
    await db!.insertInto('source_origin_token').values(row).execute()
    for (const { up } of later) await up(db!)
    const { hash, ...record } = (await kyselyStore(db!).findToken('one'))!
    const none = { lifetime: undefined, encrypted: undefined, parent: undefined }
    t.strictSame(record, { id: 'one', account: 'ann', label: 'phone', createdAt: 1, expiresAt: 2, ...none })
  })

  t.test(`${engine}: tables of each older version are told with the migrations to run, which make them work`, async t => {
    const [db] = await open(t)
    t.teardown(() => db!.destroy())
    const store = kyselyStore(db!)
    const token = { id: 'a', account: 'ann', hash: Buffer.from('b'), createdAt: 1 }
    const missing = {
      code: 'SOURCE_ORIGIN_ERR_MIGRATIONS_MISSING', message: Object.keys(migrations).join(', ')
    }
    const { 'source-origin-accounts-5': bindings, ...ofTokens } = migrations
    for (const { up } of Object.values(ofTokens)) {
      await t.rejects(store.findToken('a'), missing)
      await t.rejects(store.saveToken(token), missing)
      await up(db!)
    }
    await t.rejects(store.findBindings!({ account: 'ann' }), missing)
    await bindings!.up(db!)
    t.strictSame(await store.findBindings!({ account: 'ann' }), [])
    await store.saveToken(token)
    t.match(await store.findToken('a'), { id: 'a', account: 'ann' })
    const again: any = await store.saveToken(token).catch(error => error)
    t.ok(again instanceof Error)
    t.not((again as any).code, missing.code, 'another error stays what it is')
  })

  t.test(`${engine}: a migration of a table that is not there fails`, async t => {
    const [db] = await open(t)
    t.teardown(() => db!.destroy())
    await t.rejects(migrations['source-origin-accounts-2']!.up(db!), { message: /source_origin_token/ })
  })
}

t.test('PostgreSQL: openPostgres makes the tables, goes on after a restart, and closes its connections', async t => {
  const server = await startPostgres(t)
  const store = await openPostgres(server.url)
  t.equal(await store.findToken('none'), undefined)
  const held = store.withLock('ann', async () => {
    await server.stop()
    await server.start()
  })
  await held.catch(() => {})
  while (await store.findToken('none').catch(error => error) !== undefined);
  await store.close()
  await t.rejects(store.findToken('none'))
})

t.test('PostgreSQL: openPostgres fails where there is none', async t => {
  const server = await startPostgres(t)
  await server.stop()
  await t.rejects(openPostgres(server.url), { code: 'ECONNREFUSED' })
})
