import t, { type Test } from 'tap'
import { UnauthorizedError, UnplayableError } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore, type AccountStore } from 'fastify-source-origin/accounts'
import { createAccountUpstream, type LoginCall } from 'fastify-source-origin/upstream'
import { answer, fail, hang, type Behaviour } from '../faulty-upstream.ts'
import { build as buildUpstream, createLog } from './helper.ts'
import { deferred } from '../helper.ts'

interface Session { token: string }
const secret = 'a secret that is more than thirty-two bytes long'

/** An upstream that takes the newest session only, and a client for accounts of it, on each replica. */
async function build (
  t: Test, { store = memoryAccountStore(), replicas = 1 }: { store?: AccountStore, replicas?: number } = {}
) {
  const { server, upstream } = await buildUpstream(t)
  const logins: string[] = []
  let valid = 0
  const api: Behaviour = (response, arrival) => {
    if (arrival.url === '/v3/login') return answer({ token: `s${++valid}` })(response, arrival)
    if (arrival.headers.authorization !== `Bearer s${valid}`) return fail(401)(response, arrival)
    return answer({ body: String(arrival.body), language: arrival.headers['accept-language'] })(response, arrival)
  }
  server.always(api)
  const accounts = createAccounts({ store, secret })
  const login = async ({ account, old, upstream }: LoginCall<Session>) => {
    logins.push(`${account} ${old?.token}`)
    return upstream.json<Session>('/login', { json: { account } })
  }
  const headers = ({ token }: Session) => ({ authorization: `Bearer ${token}` })
  const clients = Array.from({ length: replicas }, () => createAccountUpstream<Session>({
    upstream, accounts: createAccounts({ store, secret }), login, headers
  }))
  const expire = () => { valid++ }
  return { server, upstream, accounts, logins, expire, clients, client: clients[0]! }
}

t.test('a call carries the session of its account; the first one logs in', async t => {
  const { client, logins, server } = await build(t)
  const api = client.for({ account: 'ann' })
  t.strictSame(await api.json('/me', { json: { id: 1 }, headers: { 'Accept-Language': 'de' } }), {
    body: '{"id":1}', language: 'de'
  })
  t.equal(JSON.parse(await api.text('/me')).body, '')
  t.equal(JSON.parse(String(await api.bytes('/me'))).body, '')
  t.equal((await api.response('/me')).status, 200)
  t.match(api.stats(), { name: 'upstream', running: 0 })
  t.strictSame(logins, ['ann undefined'])
  t.equal(server.arrivals[0]!.headers.authorization, undefined, 'the login has no session')
})

t.test('an expired session is refreshed once on all replicas, and the refused calls are made once more', async t => {
  const { clients, logins, expire, server } = await build(t, { replicas: 3 })
  await Promise.all(clients.map(client => client.for({ account: 'ann' }).json('/me')))
  expire()
  server.arrivals.length = 0
  await Promise.all(clients.flatMap(client =>
    Array.from({ length: 8 }, () => client.for({ account: 'ann' }).json('/me', { json: {} }))))
  t.strictSame(logins, ['ann undefined', 'ann s1'])
  t.equal(server.arrivals.filter(({ url }) => url === '/v3/me').length, 48)
})

t.test('a second refusal is no 401, since the own token of the listener is right', async t => {
  const { client, server } = await build(t)
  const api = client.for({ account: 'ann' })
  await api.json('/me')
  server.always(fail(401))
  server.plan(fail(401), answer({ token: 'of no use' }))
  await t.rejects(api.json('/me'), {
    name: 'UpstreamError',
    status: 502,
    message: 'The music service refused the login of this account',
    cause: { name: 'UnauthorizedError' }
  })
})

t.test('errors and check may say that a session has expired; other errors go out at once', async t => {
  const { client, server, logins } = await build(t)
  const api = client.for({ account: 'ann' })
  await api.json('/me')
  server.plan(fail(403))
  await api.json('/me', { errors: { 403: () => new UnauthorizedError() } })
  server.plan(fail(402))
  await t.rejects(api.json('/me'), UnplayableError)
  t.strictSame(logins, ['ann undefined', 'ann s1'])
})

t.test('signal and log are those of the request, for the login too; who leaves does not wait for it', async t => {
  const { client, server } = await build(t)
  const { lines, log } = createLog()
  await client.for({ account: 'ann', log }).json('/me')
  t.match(lines.map(({ line }) => [line.path, line.account]), [['/v3/login', 'ann'], ['/v3/me', 'ann']])
  server.plan(fail(401), hang)
  const controller = new AbortController()
  const gone = t.rejects(client.for({ account: 'ann', signal: controller.signal }).json('/me'), { message: 'left' })
  await server.arrived(4)
  controller.abort(new Error('left'))
  await gone
})

t.test('a login that its first caller leaves goes on for the others', async t => {
  const { client, server, logins } = await build(t)
  const { promise: held, resolve: release } = deferred<void>()
  server.plan(async (response, arrival) => {
    await held
    await answer({ token: 's1' })(response, arrival)
  })
  const controller = new AbortController()
  const gone = t.rejects(client.for({ account: 'ann', signal: controller.signal }).json('/login'), { message: 'left' })
  await server.arrived(1)
  const other = client.for({ account: 'ann' }).json('/login')
  controller.abort(new Error('left'))
  await gone
  release()
  await other
  t.strictSame(logins, ['ann undefined'])
})

t.test('a known account goes on while the database is away', async t => {
  const memory = memoryAccountStore()
  let isAway = false
  const store = Object.fromEntries(Object.entries(memory).map(([name, method]) => [name, async function (
    this: AccountStore, ...args: never[]
  ) {
    if (isAway) throw new Error('connection refused')
    return (method as (...args: never[]) => unknown).apply(this, args)
  }])) as unknown as AccountStore
  const { client } = await build(t, { store })
  await client.for({ account: 'ann' }).json('/me')
  isAway = true
  await client.for({ account: 'ann' }).json('/me')
  await t.rejects(client.for({ account: 'bob' }).json('/me'), { status: 503, message: 'cannot be reached' })
})

t.test('for of a client adds to its scope, and close closes the upstream', async t => {
  const { client, server, logins } = await build(t)
  const api = client.for({ account: 'ann', headers: { 'accept-language': 'de' } })
  t.match(await api.for({}).json('/me'), { language: 'de' })
  await api.for({ account: 'bob', signal: new AbortController().signal, log: createLog().log }).json('/me')
  t.strictSame(logins, ['ann undefined', 'bob undefined'])
  await api.close()
  const { length } = server.arrivals
  await t.rejects(api.json('/me'), { name: 'UpstreamError' })
  t.equal(server.arrivals.length, length)
})

t.test('options that are wrong are refused by name', async t => {
  const { upstream, accounts } = await build(t)
  const right = { upstream, accounts, login: async () => 1, headers: () => ({}) }
  for (const name of Object.keys(right)) {
    t.throws(() => createAccountUpstream({ ...right, [name]: {} } as never), {
      code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: `"${name}"`
    })
  }
  t.throws(() => createAccountUpstream({ ...right, log: 1 } as never), { code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION' })
})
