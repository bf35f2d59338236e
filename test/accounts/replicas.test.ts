import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createAccounts } from 'fastify-source-origin/accounts'
import { openPostgres } from 'fastify-source-origin/accounts/kysely'
import { errors } from 'fastify-source-origin'
import { sql, type Kysely } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { lockInPostgres } from '../../lib/accounts/kysely/lock-in-postgres.ts'
import type { Tables } from '../../lib/accounts/kysely/migrations.ts'
import { startPostgres } from '../postgres.ts'
import { mockImport } from '../mock-import.ts'
import { skipWithout } from '../services.ts'
import { openStore, postgresOf } from './helper.ts'
import { deferred } from '../helper.ts'

const secret = 'a secret that is more than thirty-two bytes long'
const server = skipWithout('PostgreSQL', t) ? undefined! : await startPostgres(t)

/** What one replica has: accounts over a store of its own, on the same PostgreSQL. */
const replicaOf = async (t: Test, max?: number) =>
  createAccounts({ store: await openStore(t, postgresOf(server.url, max)), secret })

/** An upstream that takes a refresh token once, and revokes everything when it comes again. */
function createUpstream () {
  const upstream = {
    newest: 0,
    refreshes: 0,
    revoked: false,
    async refresh (old = 0) {
      upstream.refreshes++
      if (old !== upstream.newest) upstream.revoked = true
      if (upstream.revoked) throw new errors.UnauthorizedError('Revoked')
      return ++upstream.newest
    },
    expired: new Set<number>(),
    async call (session: number) {
      if (upstream.expired.has(session)) throw new errors.UnauthorizedError()
      return session
    }
  }
  return upstream
}

t.test('a token that one replica issues is found by the other; what one revokes is gone', async t => {
  const [one, other] = [await replicaOf(t), await replicaOf(t)]
  const token = await one.issue('ann', { label: 'phone' })
  t.same(await other.find(`Bearer ${token}`), { id: 'ann', tokenId: token.slice(3, 15) })
  await other.revoke(token.slice(3, 15))
  t.strictSame(await one.list('ann'), [])
})

t.test('a replica that is frozen in the middle of a rotation keeps nobody from revoking', async t => {
  const store = await openStore(t, postgresOf(server.url))
  const other = await replicaOf(t)
  const id = (await other.issue('frozen')).slice(3, 15)
  const { promise: frozen, resolve: release } = deferred<void>()
  const { promise: began, resolve: begun } = deferred<void>()
  const saveToken: typeof store.saveToken = async record => {
    begun()
    await frozen
    await store.saveToken(record)
  }
  const rotating = createAccounts({ store: { ...store, saveToken } }).rotate(id, { grace: 60_000 })
  await began
  t.equal(await other.revoke(id), true)
  release()
  await t.rejects(rotating, { status: 404, message: 'Token not found' })
  t.strictSame(await other.list('frozen'), [])
})

t.test('100 calls over two replicas with an expired session are one refresh', async t => {
  const upstream = createUpstream()
  const sessions = [await replicaOf(t), await replicaOf(t)].map(accounts =>
    accounts.session<number>('shared', { refresh: upstream.refresh }))
  t.equal(await sessions[0]!.use(upstream.call), 1)
  upstream.expired.add(1)
  const answers = await Promise.all(Array.from({ length: 100 }, async (_, index) =>
    sessions[index % 2]!.use(upstream.call)))
  t.strictSame([...new Set(answers)], [2])
  t.equal(upstream.refreshes, 2)
})

t.test('more accounts refresh at once than the pool has connections, while tokens are found and changed', async t => {
  const accounts = await replicaOf(t, 5)
  const token = await accounts.issue('finder')
  const { promise: held, resolve: release } = deferred<void>()
  let began = 0
  const { promise: places, resolve: full } = deferred<void>()
  const using = Array.from({ length: 12 }, async (_, index) => accounts.session<number>(`many ${index}`, {
    async refresh () {
      if (++began === 3) full()
      await held
      return index
    }
  }).use(async session => session))
  await places
  t.match(await accounts.find(token), { id: 'finder' })
  const rotated = await accounts.rotate(token.slice(3, 15))
  t.equal(await accounts.revoke(rotated.slice(3, 15)), true)
  t.equal(began, 3)
  release()
  t.strictSame(await Promise.all(using), Array.from({ length: 12 }, (_, index) => index))
})

t.test('a server that stops: 503 for what is not known; when it is back all goes on', async t => {
  const accounts = await replicaOf(t)
  const token = await accounts.issue('ann')
  const session = accounts.session<number>('stopped', { refresh: async () => 1 })
  t.equal(await session.use(async value => value), 1)
  await server.stop()
  const down = { status: 503, message: 'The accounts of this source cannot be reached' }
  await t.rejects(async () => accounts.find(token), down)
  await t.rejects(accounts.issue('ann'), down)
  const unknown = accounts.session<number>('not read before', { refresh: async () => 1 })
  await t.rejects(unknown.use(async value => value), down)
  t.equal(await session.use(async value => value), 1, 'a session that this process knows')
  await server.start()
  t.match(await accounts.find(token), { id: 'ann' })
  t.equal(await session.use(async value => value), 1)
})

t.test('a server restarts in the middle of a refresh: the new session is not lost, nor asked for twice', async t => {
  const upstream = createUpstream()
  const [one, other] = [await replicaOf(t), await replicaOf(t)]
  const session = one.session<number>('cut', {
    async refresh (old) {
      const fresh = await upstream.refresh(old)
      if (fresh === 2) {
        await server.stop()
        await server.start()
      }
      return fresh
    }
  })
  t.equal(await session.use(upstream.call), 1)
  upstream.expired.add(1)
  await t.rejects(session.use(upstream.call), { status: 503, message: 'cannot be reached' })
  t.equal(await session.use(upstream.call), 2)
  t.equal(await other.session<number>('cut', { refresh: upstream.refresh }).use(upstream.call), 2)
  t.equal(upstream.refreshes, 2)
})

t.test('a replica whose connection dies in the middle of a refresh leaves the lock free', async t => {
  const [dying, other] = [await replicaOf(t), await replicaOf(t)]
  const using = dying.session<number>('dying', {
    async refresh () {
      await breakLocks()
      await other.session<number>('dying', { refresh: async () => 2 }).use(async session => { t.equal(session, 2) })
      return 1
    }
  }).use(async session => session)
  await t.rejects(using, { status: 503, message: 'cannot be reached' })
})

t.test('what has been done under a lock counts, also when its connection has died', async t => {
  const store = await openStore(t, postgresOf(server.url))
  t.equal(await store.withLock('done', async () => {
    await breakLocks()
    return 'done'
  }), 'done')
})

/** `lockInPostgres` that waits for so many milliseconds. */
const lockWaiting = async (maxWait: number): Promise<typeof lockInPostgres> =>
  (await mockImport<typeof import('../../lib/accounts/kysely/lock-in-postgres.ts')>(
    import.meta.resolve('../../lib/accounts/kysely/lock-in-postgres.ts'),
  { '../refresh-timeout.ts': { refreshTimeout: maxWait / 2 } }
  )).lockInPostgres

t.test('the wait for a lock has an end, which leaves the connection as it was', async t => {
  const holder = await openStore(t, postgresOf(server.url))
  const db = postgresOf(server.url, 1)
  const store = await openStore(t, db)
  const withLock = (await lockWaiting(50))(db as Kysely<Tables>, () => store)
  await holder.withLock('busy', async () => {
    await t.rejects(withLock('busy', async () => {}), { code: '55P03', message: 'lock timeout' })
    const { rows } = await sql`select current_setting('lock_timeout') as limit`.execute(db)
    t.strictSame(rows, [{ limit: '0' }])
  })
  t.equal(await withLock('busy', async () => 'free'), 'free')
})

t.test('a lock that is not where it was taken, as behind a pooler of transactions, is a warning', async t => {
  const db = postgresOf(server.url, 1) as Kysely<Tables>
  const store = await openStore(t, db)
  let connection = db
  const withLock = lockInPostgres(db, given => { connection = given; return store })
  const warned = once(process, 'warning')
  t.equal(await withLock('moved', async () => {
    await sql`select pg_advisory_unlock_all()`.execute(connection)
    return 'done'
  }), 'done')
  t.match(await warned, [{ name: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_LOST_LOCK' }])
})

t.test('a wait for a lock that the limit of a statement ends is told as what it is', async t => {
  const holder = await openStore(t, postgresOf(server.url))
  const db = postgresOf(`${server.url}?options=-c%20statement_timeout%3D50`, 1) as Kysely<Tables>
  t.teardown(() => db.destroy())
  const withLock = lockInPostgres(db, () => holder)
  await holder.withLock('limited', async () => {
    await t.rejects(withLock('limited', async () => {}), { code: '57014', message: /^canceling statement/ })
  })
})

t.test('a wait that ends while the holder of the lock sends queries is told of as a busy holder', async t => {
  const holder = await openStore(t, postgresOf(server.url))
  const db = postgresOf(server.url, 1) as Kysely<Tables>
  const withLock = (await lockWaiting(1000))(db, () => holder)
  const store = await openStore(t, db)
  t.equal(await store.findToken('none'), undefined)
  await holder.withLock('works', async locked => {
    const warned = once(process, 'warning')
    const waiting = withLock('works', async () => {}).catch(error => error)
    let ended
    while (ended === undefined) ended = await Promise.race([waiting, locked.findToken('none')])
    t.match(ended, { code: '55P03', message: /not free within 1000 ms .*: its holder is busy$/ })
    t.match(await warned, [{ code: 'SOURCE_ORIGIN_WARN_LOCK_WAIT', message: ended.message }])
  })
})

/** A process that holds a lock, and rows of an account in a transaction that it does not end. */
const holding = `
  import { openPostgres } from 'fastify-source-origin/accounts/kysely'
  import pg from 'pg'
  const { query } = pg.Client.prototype
  let isReady = false
  const held = new Promise(resolve => {
    pg.Client.prototype.query = function (text, ...rest) {
      return text === 'commit' && isReady ? new Promise(() => resolve()) : query.call(this, text, ...rest)
    }
  })
  const store = await openPostgres(process.env.URL)
  await new Promise(resolve => store.withLock('frozen', () => new Promise(() => resolve())))
  isReady = true
  store.removeAccount('of a frozen holder')
  await held
  console.log('held')
`

t.test('a process that is stopped is told of as frozen, and keeps nobody from revoking', async t => {
  const store = await openPostgres(server.url)
  t.teardown(() => store.close())
  const accounts = createAccounts({ store })
  const token = await accounts.issue('of a frozen holder')
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '--eval', holding], {
    env: { ...process.env, URL: server.url }, stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')

  const db = postgresOf(server.url, 1) as Kysely<Tables>
  t.teardown(() => db.destroy())
  const withLock = (await lockWaiting(50))(db, () => store)
  const warned = once(process, 'warning')
  const message = /not free within 50 ms .*: its holder is frozen, session \d+ from 127\.0\.0\.1, silent for \d+ s: end it$/
  await t.rejects(withLock('frozen', async () => {}), { code: '55P03', message })
  t.match(await warned, [{ code: 'SOURCE_ORIGIN_WARN_LOCK_WAIT', message }])

  t.match(await accounts.find(token), { id: 'of a frozen holder' })
  t.equal(await accounts.revoke(token.slice(3, 15)), true)
  t.equal(await accounts.find(token), null)

  child.kill('SIGKILL')
  t.equal(await lockInPostgres(db, () => store)('frozen', async () => 'free'), 'free')
})

/** Ends the connections that hold a lock. */
async function breakLocks () {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('select pg_terminate_backend(pid) from pg_locks where locktype = \'advisory\'')
  await client.end()
}
