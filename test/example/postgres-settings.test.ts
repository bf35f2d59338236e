import { Kysely, sql } from 'kysely'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import pg from 'pg'
import t from 'tap'
import { StateDatabase } from '../../example/state/state-database.ts'
import { State } from '../../example/state/state.ts'
import { openDatabase } from '../../example/database/open-database.ts'
import { postgresDialect } from '../../example/database/postgres-dialect.ts'
import { deferred } from '../helper.ts'
import { startPostgres } from '../postgres.ts'
import { replace } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { as, command, folder, startWith, tokenIn, until, write } from './helper.ts'
import { runExample } from './run-example.ts'

const quiet = { warn () {}, info () {} }

t.test('no part of a password that is not encoded is told', async t => {
  for (const password of ['se@cret', 'se/cret', 'se?cret', 'se#cret@']) {
    const opening = openDatabase('', `postgresql://u:${password}@127.0.0.1:1/x`, quiet)
    await t.rejects(opening, {
      message: 'DATABASE_URL must lead to a PostgreSQL that takes connections: ' +
        'write @ as %40, / as %2F, ? as %3F and # as %23 in its user and password'
    }, password)
  }
})

t.test('the end does not wait for connections that are being made to a server that hangs', async t => {
  const accepted = deferred<void>()
  const server = createServer(() => accepted.resolve())
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const db = new Kysely<any>({ dialect: postgresDialect(`postgresql://test@127.0.0.1:${port}/x`, 1, quiet) })
  // At the time limit it would be another message.
  const asking = t.rejects(sql`select 1`.execute(db), { message: 'Connection terminated unexpectedly' })
  await accepted.promise
  await db.destroy()
  await asking
})

t.test('PostgreSQL', async t => {
  if (skipWithout('PostgreSQL', t)) return
  const postgres = await startPostgres(t)
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  t.teardown(() => admin.end())

  /** The URL of an empty database for a test. */
  async function database (name: string, user = 'test'): Promise<string> {
    await admin.query(`create database ${name} owner ${user}`)
    return postgres.url.replace('test@', `${user}@`).replace(/postgres$/, name)
  }

  async function other (url: string): Promise<pg.Client> {
    const client = new pg.Client(url)
    await client.connect()
    t.teardown(() => client.end())
    return client
  }

  t.test('a start on one that is read-only is one line', async t => {
    const url = await database('a')
    await admin.query('alter database a set default_transaction_read_only = on')
    await t.rejects(startWith(t, {}, { DATABASE_URL: url }), {
      name: 'Error', message: 'DATABASE_URL must lead to a PostgreSQL that takes changes: this one is read-only'
    })
  })

  const rights = [['account', 'insert, update, delete'], ['setting', 'delete'], ['playlist', 'insert']] as const
  for (const [table, right] of rights) {
    t.test(`a start on one whose table ${table} allows no ${right} is one line`, async t => {
      const url = await database(`j_${table}`)
      await (await openDatabase('', url, quiet)).destroy()
      const client = await other(url)
      await client.query(`create role reader_${table} login`)
      await client.query(`grant all on all tables in schema public to reader_${table}`)
      await client.query(`revoke ${right} on ${table} from reader_${table}`)
      await t.rejects(startWith(t, {}, { DATABASE_URL: url.replace('test@', `reader_${table}@`) }), {
        name: 'Error',
        message: `The database of accounts cannot be written to: permission denied for table ${table}`
      })
    })
  }

  t.test('a start on one of a version that cannot be upgraded is one line', async t => {
    const url = await database('older')
    await (await openDatabase('', url, quiet)).destroy()
    await (await other(url)).query("update kysely_migration set name = 'state-7' where name = 'state-8'")
    await t.rejects(startWith(t, {}, { DATABASE_URL: url }), {
      message: 'The database of DATABASE_URL is of a version that cannot be upgraded: ' +
        'start commit 3ead6a63 of this source once, which converts it'
    })
  })

  t.test('a start waits for a lock that another process has, tells it once, and ends with a signal', async t => {
    const url = await database('k')
    await (await openDatabase('', url, quiet)).destroy()
    const locker = await other(url)
    for (const table of ['kysely_migration', 'setting']) {
      await locker.query(`begin; lock table ${table}`)
      const { child, ended, said, output } = runExample(t, { DATABASE_URL: url })
      await said(/"database locked"/)
      child.kill('SIGTERM')
      t.match(await ended, { code: 0 })
      t.equal(output.err, '')
      await locker.query('commit')
    }
    await locker.query('select pg_advisory_lock(hashtext(\'fastify-source-origin\'))')
    const lines: string[] = []
    const unlock = (_details: object, event: string) => {
      lines.push(event)
      locker.query('select pg_advisory_unlock_all()')
    }
    await (await openDatabase('', url, { ...quiet, warn: unlock as never })).destroy()
    t.same(lines, ['database locked'])
  })

  t.test('a start waits for a lock in whatever language the server tells of it', async t => {
    const url = await database('m')
    await (await openDatabase('', url, quiet)).destroy()
    await (await other(url)).query(`
      create sequence met;
      create function refuse () returns trigger language plpgsql as $$ begin
        if nextval('met') = 1 then raise 'wegen Zeitüberschreitung' using errcode = 'lock_not_available'; end if;
        return new;
      end $$;
      create trigger refuse before insert on setting for each row execute function refuse()`)
    const { lines } = await startWith(t, {}, { DATABASE_URL: url })
    t.match(lines, [{ msg: 'database locked' }])
  })

  t.test('a process has DATABASE_CONNECTIONS at most', async t => {
    const source = await startWith(t, {}, { DATABASE_URL: await database('b'), DATABASE_CONNECTIONS: '5' })
    await Promise.all(Array.from({ length: 40 }, () => source.call('/v1/user/favorite/tracks')))
    const { rows } = await admin.query('select count(*)::int from pg_stat_activity where datname = \'b\'')
    t.equal(rows[0].count, 5)
  })

  t.test('many changes of an account that is locked leave connections to others, and are made in the end', async t => {
    const url = await database('c')
    const DATA_DIR = folder(t)
    const source = await startWith(t, {}, { DATABASE_URL: url, DATABASE_CONNECTIONS: '5', DATA_DIR })
    const ann = as(source, tokenIn(await command(DATA_DIR, ['add', 'ann'])))
    const locker = await other(url)
    await locker.query('begin')
    await locker.query('select * from account where id = \'owner\' for update')
    const names = Array.from({ length: 40 }, (_, index) => `List ${index}`)
    const made = Promise.all(names.map(name => write(source, 'playlist/create', { name })))
    const waiting = async () => (await admin.query('select count(*)::int from pg_stat_activity ' +
      'where datname = \'c\' and wait_event_type = \'Lock\'')).rows[0].count
    await until(async () => await waiting() > 0)
    t.strictSame(await ann.data('/v1/user/playlist/list'), [])
    t.match(await write(ann, 'playlist/create', { name: 'Hers' }), { name: 'Hers' })
    t.equal((await source.app.inject('/ready')).statusCode, 200)
    t.equal(await waiting(), 1)
    await locker.query('commit')
    t.strictSame((await made).map(({ name }) => name), names)
  })

  t.test('changes of many accounts that are locked leave half of the connections to reads', async t => {
    const url = await database('l')
    const state = new State(await openDatabase('', url, quiet, 4), 4)
    t.teardown(() => state.close())
    const names = ['ann', 'bob', 'cleo', 'dan', 'eve']
    for (const name of names) await state.addAccount(name)
    const locker = await other(url)
    await locker.query('begin')
    await locker.query('select * from account where id <> \'eve\' for update')
    const changes = Promise.all(names.map(name => state.favorites.set(name, [{ kind: 'track', id: name }], true)))
    const reads = await Promise.all(names.map(name => state.favorites.list(name, 'track')))
    t.strictSame(reads, [[], [], [], [], []])
    await locker.query('commit')
    await changes
    t.strictSame(await Promise.all(names.map(name => state.favorites.list(name, 'track'))), names.map(name => [name]))
  })

  t.test('while it has few connections left, queries wait for those that work', async t => {
    await admin.query('create role music login connection limit 3')
    const source = await startWith(t, {}, { DATABASE_URL: await database('d', 'music') })
    const read = async () => (await source.call('/v1/user/playlist/list')).statusCode
    t.strictSame(new Set(await Promise.all(Array.from({ length: 30 }, read))), new Set([200]))
    await admin.query('alter role music connection limit 20')
  })

  t.test('one connection stays after a pause, when others may take all of them', async t => {
    const pools: pg.Pool[] = []
    replace(t, pg, 'Pool', class extends pg.Pool {
      constructor (config: pg.PoolConfig) {
        super({ ...config, idleTimeoutMillis: 1 })
        pools.push(this)
      }
    })
    const source = await startWith(t, {}, { DATABASE_URL: await database('n', 'music') })
    const read = async () => (await source.call('/v1/user/playlist/list')).statusCode
    await Promise.all(Array.from({ length: 5 }, read))
    const count = async () =>
      (await admin.query('select count(*)::int from pg_stat_activity where datname = \'n\'')).rows[0].count
    await until(async () => await count() <= 1)
    for (const { options } of pools) options.idleTimeoutMillis = 10_000
    await admin.query('alter role music connection limit 0')
    t.teardown(() => admin.query('alter role music connection limit 20'))
    t.strictSame(new Set(await Promise.all(Array.from({ length: 30 }, read))), new Set([200]))
  })

  t.test('a change that met others is made again, five times at most', async t => {
    const url = await database('e')
    const source = await startWith(t, {}, { DATABASE_URL: url })
    const client = await other(url)
    await client.query(`
      create sequence met;
      create function refuse () returns trigger language plpgsql as $$ begin
        if nextval('met') < 4 then raise 'met others' using errcode = '40001'; end if;
        return new;
      end $$;
      create trigger refuse before insert on playlist for each row execute function refuse()`)
    t.match(await write(source, 'playlist/create', { name: 'Once' }), { name: 'Once' })
    await client.query('select setval(\'met\', 1, false)')
    await client.query('alter sequence met increment by -1 no minvalue')
    await t.rejects(write(source, 'playlist/create', { name: 'Never' }), { message: /^503/ })
    const { rows } = await client.query('select last_value::int from met')
    t.equal(rows[0].last_value, -3)
    t.match(await source.data('/v1/user/playlist/list'), [{ name: 'Once' }])
  })

  t.test('one that has become read-only is not ready', async t => {
    const source = await startWith(t, {}, { DATABASE_URL: await database('f') })
    const isReady = async () => (await source.app.inject('/ready')).json().checks.database
    await until(async () => await isReady() === 'ok')
    const set = async (value: string) => {
      await admin.query(`alter system set default_transaction_read_only = ${value}`)
      await admin.query('select pg_reload_conf()')
    }
    await set('on')
    await until(async () => await isReady() === 'down')
    await admin.query('set default_transaction_read_only = off')
    await set('off')
    await until(async () => await isReady() === 'ok')
  })

  t.test('the end does not wait for one that hangs', async t => {
    const state = new State(await openDatabase('', await database('g'), quiet))
    await state.addAccount('owner')
    const { listener } = await state.viewer('owner')
    const { rows } = await admin.query('select pid from pg_stat_activity where datname = \'g\'')
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
    t.teardown(() => rows.forEach(({ pid }) => process.kill(pid, 'SIGCONT')))
    const lost = state.plays.add(listener, { track: 'a'.repeat(20), playedAt: 1 }).catch(error => error)
    await state.close(0)
    t.equal((await lost).cause.message, 'Connection terminated unexpectedly')
  })

  t.test('a change that has waited for too long is not begun', async t => {
    const db = new StateDatabase(await openDatabase('', await database('i'), quiet))
    t.teardown(() => db.close())
    let now = 0
    replace(t, performance, 'now', () => (now += 10_001))
    await t.rejects(db.change('account a', async () => t.fail('It was begun')), {
      status: 503, cause: { message: /^A change has waited for \d+ ms$/ }
    })
  })

  t.test('changes see what others have committed, whatever the database has as a default', async t => {
    const url = await database('h')
    await admin.query('alter database h set default_transaction_isolation = serializable')
    const db = await openDatabase('', url, quiet)
    t.teardown(() => db.destroy())
    t.strictSame((await sql`show transaction_isolation`.execute(db)).rows, [{ transaction_isolation: 'read committed' }])
  })
})
