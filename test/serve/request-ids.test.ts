import fastify, { type FastifyServerOptions } from 'fastify'
import { UpstreamError } from 'fastify-source-origin'
import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import serveSource, { serverOptions } from 'fastify-source-origin/serve'
import { createAccountUpstream, createUpstream } from 'fastify-source-origin/upstream'
import t, { type Test } from 'tap'
import { startFaultyUpstream } from '../faulty-upstream.ts'
import { authorized, contextOf, logged } from '../helper.ts'

async function build (
  t: Test, adapter: object = { getNewTracks: () => [] }, host: FastifyServerOptions = serverOptions
) {
  const { lines, logger } = logged()
  const app = fastify({ ...host, logger })
  t.teardown(() => app.close())
  const none = { cache: false, subsonic: false, page: false } as const
  await app.register(serveSource, { ...none, resolveContext: contextOf(adapter), requestIds: true })
  const ask = (id?: string) =>
    app.inject({ url: '/v1/track/new', headers: { ...authorized, ...id !== undefined && { 'x-request-id': id } } })
  return { ask, lines }
}

t.test('a sane X-Request-Id is taken, sent back, and in every log line', async t => {
  const { ask, lines } = await build(t)
  t.equal((await ask('trace:a_b.c-1')).headers['x-request-id'], 'trace:a_b.c-1')
  t.ok(lines.length > 1)
  for (const { reqId } of lines) t.equal(reqId, 'trace:a_b.c-1')
})

const insane = {
  'no id': undefined, 'an empty one': '', 'a long one': 'a'.repeat(65), 'one with a space': 'a b'
}
for (const [what, id] of Object.entries(insane)) {
  t.test(`${what} is answered with a new one, another each time`, async t => {
    const { ask } = await build(t)
    const ids = [(await ask(id)).headers['x-request-id'], (await ask(id)).headers['x-request-id']]
    for (const id of ids) t.match(id, /^[\da-f-]{36}$/)
    t.not(ids[0], ids[1])
  })
}

t.test('ids are those of the host, in each way that Fastify has', async t => {
  for (const [host, given, sent] of [
    [{ genReqId: () => 'of the host: é' }, 'a1', 'of%20the%20host:%20%C3%A9'],
    [{ requestIdHeader: 'x-request-id' }, 'a b', 'a%20b'],
    [{}, 'a1', 'req-1']
  ] as const) {
    const { ask } = await build(t, undefined, host)
    t.equal((await ask(given)).headers['x-request-id'], sent)
  }
})

t.test('in development the message of a failure names it, in production it does not', async t => {
  const adapter = { getNewTracks () { throw new UpstreamError('The service is down') } }
  const named = await build(t, adapter)
  t.equal((await named.ask('a1')).json().message, 'The service is down (request a1)')
  t.intercept(process, 'env', { value: { ...process.env, NODE_ENV: 'production' } })
  const bare = await build(t, adapter)
  t.equal((await bare.ask('a1')).json().message, 'The service is down')
})

t.test('the message of what is no failure does not name it', async t => {
  const { ask } = await build(t, {})
  t.notMatch((await ask('a1')).json().message, 'a1')
})

t.test('an own upstream gets it, with the calls of an account and its login too; others do not', async t => {
  const server = await startFaultyUpstream(t)
  const accounts = createAccounts({ store: memoryAccountStore(), secret: Buffer.alloc(32) })
  for (const own of [true, false]) {
    const upstream = createUpstream({ baseUrl: server.url, trusted: own })
    t.teardown(() => upstream.close())
    await upstream.for({ requestId: 'a1' }).for({ account: 'ann' }).json('/')
    const ofAccount = createAccountUpstream({
      upstream, accounts, headers: () => ({}), login: ({ upstream }) => upstream.json<string>('/login')
    })
    await ofAccount.for({ account: `ann ${own}`, requestId: 'a2' }).for({}).json('/')
    await upstream.json('/')
  }
  t.strictSame(server.arrivals.map(({ headers }) => headers['x-request-id']), [
    'a1', 'a2', 'a2', undefined, undefined, undefined, undefined, undefined
  ])
})

t.test('an id that no header can carry is refused', async t => {
  const upstream = createUpstream({ baseUrl: 'http://127.0.0.1:9' })
  t.teardown(() => upstream.close())
  t.throws(() => upstream.for({ requestId: 'a\nb' }), { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /requestId/ })
})
