import fastify from 'fastify'
import subsonic, { memoryStore, subsonicServer, createSubsonicAdapter } from 'fastify-source-origin/subsonic'
import t from 'tap'
import { logged } from '../helper.ts'
import { ask, get, roomy, serve } from './helper.ts'
import { publicSource } from './library.ts'

const resolveContext = () => null

for (const [title, options, message] of [
  ['no resolveContext', {}, /"resolveContext" must be a function/],
  ['a misspelt option', { resolveContext, resolvelogin: 1 }, /Unknown option "resolvelogin": did you mean "resolveLogin"/],
  ['an unknown option', { resolveContext, colour: 1 }, /Unknown option "colour"$/],
  ...['artists', 'albums', 'tracks', 'calls', 'concurrency'].flatMap(name => [0, 0.5].map(value =>
    [`the limit ${value} of ${name}`, { resolveContext, limits: { [name]: value } }, /"limits.\w+" must be a whole number above 0/])),
  ...['ttl', 'patience'].flatMap(name => [0, 3_000_000].map(value =>
    [`a ${name} of ${value} seconds`, { resolveContext, limits: { [name]: value } }, /"limits.\w+" must be a number of seconds above 0/])),
  ['an unknown limit', { resolveContext, limits: { album: 1 } }, /"limits.album": did you mean "albums"/],
  ['lists that are no flags', { resolveContext, lists: { daily: 1 } }, /"lists.daily" must be a boolean/],
  ...['Subsonic', 'madsonic', 'AMPACHE', ' navidrome ', 'funkwhale', ''].map(name => [`the name "${name}"`, { resolveContext, name }, /"name" must be/]),
  ['a prefix that ends with /', { resolveContext, prefix: '/a/' }, /"prefix"/],
  ['media that is nothing', { resolveContext, media: 'pipe' }, /"media"/],
  ['hosts with a path', { resolveContext, hosts: ['a/b'] }, /"hosts"/],
  ['hosts with a port that is none', { resolveContext, hosts: ['a:b'] }, /"hosts"/],
  ['a store without set', { resolveContext, store: { get: () => {} } }, /"store"/],
  ['a negative time', { resolveContext, adapterTimeout: -1 }, /"adapterTimeout"/],
  ['a log level that is none', { resolveContext, logLevel: 1 }, /"logLevel"/],
  ['no quality', { resolveContext, quality: '' }, /"quality"/]
] as [string, any, RegExp][]) {
  t.test(`${title} is refused`, async t => {
    const app = fastify()
    t.teardown(() => app.close())
    await t.rejects(async () => { await app.register(subsonic, options) }, { message, code: /^SOURCE_ORIGIN_ERR_/ })
  })
}

t.test('logLevel is that of all its routes, and no other', async t => {
  const { lines, logger } = logged()
  const app = await serve(t, { logLevel: 'silent' }, { ...roomy, logger })
  app.get('/own', async () => 'own')
  await get(app, 'ping')
  t.strictSame(lines, [])
  await app.inject('/own')
  t.ok(lines.length > 0)
})

t.test('frozen options work, and the host keeps its own routes, parsers and errors', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(subsonic, Object.freeze({ resolveContext, prefix: '/music', limits: Object.freeze({ ttl: 1 }) }))
  app.post('/mine', async request => request.body)
  t.strictSame((await app.inject({ method: 'POST', url: '/mine', payload: { a: 1 } })).json(), { a: 1 })
  t.equal((await app.inject({ method: 'POST', url: '/mine', headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a=1' })).statusCode, 415)
  t.equal((await app.inject('/nothing')).statusCode, 404)
})

t.test('a limit that is undefined has its default', async t => {
  const { adapter } = publicSource(1, 3)
  const app = await serve(t, { limits: { ttl: undefined, concurrency: undefined } as any, context: { stateless: true }, adapter })
  t.equal((await ask(app, 'search3', { songCount: 0 })).searchResult3.album.length, 3)
})

t.test('the store of memory keeps what was used last', async t => {
  const store = memoryStore({ max: 2 })
  for (const key of ['a', 'b']) await store.set(key, key)
  await store.get('a')
  await store.set('c', 'c')
  t.strictSame(await Promise.all(['a', 'b', 'c'].map(key => store.get(key))), ['a', undefined, 'c'])
  await store.set('a', undefined)
  t.equal(await store.get('a'), undefined)
})

const account = { username: 'a', password: 'b' }
const url = 'http://localhost'
for (const [title, options, message] of [
  ['no url', account, /"url" must be an http/],
  ['a url with a query', { ...account, url: `${url}?a` }, /"url"/],
  ['a url with a user', { ...account, url: 'http://a:b@localhost' }, /"url"/],
  ['another scheme', { ...account, url: 'ftp://localhost' }, /"url"/],
  ['no user', { url }, /"username"/],
  ['no password', { url, username: 'a' }, /"password"/],
  ['a misspelt option', { ...account, url, pasword: 'b' }, /"pasword": did you mean "password"/],
  ['an unknown way to log in', { ...account, url, auth: 'basic' }, /"auth"/],
  ['a time zone that is none', { ...account, url, timeZone: 'Mars/Base' }, /"timeZone"/],
  ['a transcoding without a format', { ...account, url, transcoding: { high: 1, standard: 1 } }, /"transcoding.format" must be a text/],
  ['a transcoding to nothing', { ...account, url, transcoding: { high: 0, standard: 1, format: 'mp3' } }, /"transcoding.high" must be a whole number/],
  ['a transcoding with more', { ...account, url, transcoding: { high: 1, standard: 1, format: 'mp3', low: 1 } }, /"transcoding.low"/],
  ['an upstream that is none', { ...account, url, upstream: {} }, /"upstream"/],
  ['no time', { ...account, url, timeout: 0 }, /"timeout"/],
  ['covers that are too large', { ...account, url, coverSize: 10_001 }, /"coverSize"/]
] as [string, any, RegExp][]) {
  t.test(`a server with ${title} is refused`, async t => {
    t.throws(() => subsonicServer(options), { message, code: /^SOURCE_ORIGIN_ERR_/ })
  })
}

t.test('an adapter without media is refused', async t => {
  t.throws(() => createSubsonicAdapter({ url, ...account } as any), { message: /"media" must be a function/ })
  t.throws(() => createSubsonicAdapter(subsonicServer({ url, ...account }), undefined as any), { message: /"media"/ })
})
