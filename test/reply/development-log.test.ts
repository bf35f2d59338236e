import t, { type Test } from 'tap'
import { checkSource, createSourceClient } from 'fastify-source-origin/check'
import { NotFoundError, UpstreamError } from 'fastify-source-origin'
import { requestIds } from '../../lib/serve/request-ids.ts'
import { createUpstream, path as songPath } from 'fastify-source-origin/upstream'
import { MockAgent } from 'undici'
import { printReport } from '../../lib/check/report/print-report.ts'
import { listen } from '../client/helper.ts'
import { authorized, build, logged, token } from '../helper.ts'

const path = '/v1/development'
const adapter = { getNewTracks () { throw new TypeError('no artist', { cause: new Error(`told ${token}`) }) } }

const askFailing = async (app: Awaited<ReturnType<typeof build>>) => {
  const { headers } = await app.inject({ url: '/v1/track/new', headers: authorized })
  const url = `${path}?request=${headers['x-request-id']}`
  return (await app.inject({ url, headers: authorized })).json().data.failure
}

t.test('the error of a failed request is found by its id, with its cause and without the token', async t => {
  const app = await build(t, { adapter })
  const failure = await askFailing(app)
  t.match(failure, /^TypeError: no artist\n +at [^]*getNewTracks[^]*\ncaused by Error: told \[authorization\]\n/)
  t.equal((await app.inject({ url: path, headers: authorized })).json().data.failure, undefined)
  t.equal((await app.inject(path)).statusCode, 401, 'a token is needed')
})

t.test('another caller does not see the failure, though ids can be guessed', async t => {
  const app = await build(t, { resolveContext: () => ({ adapter, stateless: true }) })
  const { headers } = await app.inject({ url: '/v1/track/new', headers: authorized })
  const url = `${path}?request=${headers['x-request-id']}`
  const failureFor = async (authorization: string) =>
    (await app.inject({ url, headers: { authorization } })).json().data.failure
  t.equal(await failureFor('that of somebody else'), undefined)
  t.type(await failureFor(authorized.authorization), 'string')
})

t.test('the latest hundred failures are kept', async t => {
  const app = await build(t, { adapter })
  const first = await app.inject({ url: '/v1/track/new', headers: authorized })
  const failureOf = async () => {
    const url = `${path}?request=${first.headers['x-request-id']}`
    return (await app.inject({ url, headers: authorized })).json().data.failure
  }
  for (let i = 0; i < 99; i++) await app.inject({ url: '/v1/track/new', headers: authorized })
  t.type(await failureOf(), 'string')
  await app.inject({ url: '/v1/track/new', headers: authorized })
  t.equal(await failureOf(), undefined)
})

t.test('a 404 of an upstream for a path with an id that is not encoded is told, once', async t => {
  const dispatcher = new MockAgent()
  dispatcher.disableNetConnect()
  dispatcher.get('https://music.example').intercept({ path: () => true }).reply(404, '').persist()
  const upstream = createUpstream({ baseUrl: 'https://music.example', dispatcher })
  t.teardown(() => Promise.all([upstream.close(), dispatcher.close()]))
  for (const [id, pathOf, isTold] of [
    ['a/b', (id: string) => `/songs/${id}`, true], ['a b?c', (id: string) => `/songs/${id}/url`, true],
    ['a#', (id: string) => `/songs/${id}`, true], ['a/b', (id: string) => songPath`/songs/${id}`, false],
    ['a', (id: string) => `/songs/${id}`, false], ['?', (id: string) => `/songs/x${id}`, false]
  ] as const) {
    const { lines, logger } = logged()
    const app = await build(t, { adapter: { getTrackDetail: (id: string) => upstream.json(pathOf(id)) } }, { logger })
    const url = `/v1/track?id=${encodeURIComponent(id)}`
    const answers = [await app.inject({ url, headers: authorized }), await app.inject({ url, headers: authorized })]
    t.strictSame(answers.map(({ statusCode }) => statusCode), [404, 404])
    const hints = lines.filter(({ msg }) => msg === 'upstream path not encoded').map(({ hint }) => hint)
    t.strictSame(hints.map(hint => /^getTrackDetail: .*not encoded/.test(hint)), isTold ? [true] : [], id)
    t.strictSame((await app.inject({ url: path, headers: authorized })).json().data.mistakes, hints)
  }
  const app = await build(t, { adapter: { getTrackDetail () { throw new NotFoundError() } } })
  t.equal((await app.inject({ url: '/v1/track?id=a%2Fb', headers: authorized })).statusCode, 404)
})

t.test('in production there is neither the path nor the id', async t => {
  t.intercept(process, 'env', { value: { ...process.env, NODE_ENV: 'production' } })
  const app = await build(t, { adapter })
  t.equal((await app.inject({ url: path, headers: authorized })).statusCode, 404)
  t.notOk((await app.inject({ url: '/v1/track/new', headers: authorized })).headers['x-request-id'])
  const { findings } = await checkSource({ app, only: ['getNewTracks'], authorization: token })
  t.strictSame(findings.map(({ rule, log }) => [rule, log]), [['answer-error', undefined]])
})

const checkWith = async (t: Test, more: object, how: 'app' | 'client') => {
  const app = await build(t, { adapter: { ...adapter, ...more } })
  await app.register(requestIds)
  const only = ['getNewTracks']
  return how === 'app'
    ? checkSource({ app, only, authorization: token })
    : checkSource({ client: createSourceClient({ baseUrl: await listen(t, app), authorization: token }), only })
}

for (const how of ['app', 'client'] as const) {
  t.test(`a check by ${how} shows what was logged beside the finding, and mistakes in adapters`, async t => {
    const report = await checkWith(t, { getTrackDetial: () => {}, getToplist: [] }, how)
    const failed = report.findings.find(({ operation }) => operation === 'getNewTracks')
    t.match(failed, { rule: 'answer-error', log: /^TypeError: no artist\n[^]*caused by Error: told \[authorization\]/ })
    t.match(printReport(report, false), / {2}\| TypeError: no artist\n {2}\| +at /)
    t.strictSame(report.findings.filter(({ rule }) => rule === 'adapter-mistake').map(({ message }) => message), [
      'Adapter method getTrackDetial is never called: did you mean getTrackDetail?',
      'Adapter member getToplist is never called: it is not a function'
    ])
  })
}

t.test('a finding about an answer that is no failure has no log', async t => {
  const app = await build(t, { adapter: { getNewTracks () { throw new UpstreamError('down') } } })
  app.addHook('onSend', async (request, reply, payload) => {
    reply.header('x-request-id', 'mine')
    if (request.url === '/v1/status') reply.header('content-type', 'application/json')
    return payload
  })
  const { findings } = await checkSource({ app, only: ['getNewTracks'], authorization: token })
  const [found] = findings.filter(({ rule }) => rule === 'content-type-charset')
  t.equal(found?.operation, 'status')
  t.notOk(found?.log)
})
