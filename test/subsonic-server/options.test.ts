import fastify from 'fastify'
import subsonic, { createSubsonicClient, createSubsonicAdapter } from 'fastify-source-origin/subsonic'
import t from 'tap'
import { memoryStore } from '../../lib/queue/text-store.ts'
import { validateSubsonicOptions } from '../../lib/subsonic-server/subsonic-options.ts'
import { logged } from '../helper.ts'
import { adapter, ask, get, registerSource, roomy, serve } from './helper.ts'
import { publicSource } from './library.ts'

/** What an option must be, word by word. */
const must = (name: string, words: string) =>
  new RegExp(`^Option "${name}" must be ${words.replace(/[.*()]/g, '\\$&')}$`)

for (const [title, options, message] of [
  [
    'no source', {}, /^There is no source below \/: register fastify-source-origin with this prefix before subsonic$/
  ],
  ...['resolveContext', 'adapterTimeout'].map(name =>
    [`${name}, which is the source's,`, { [name]: () => null }, new RegExp(`^Unknown option "${name}"$`)]),
  ['a misspelt option', { resolvelogin: 1 },
    /Unknown option "resolvelogin": did you mean "resolveLogin"/],
  ['an unknown option', { colour: 1 }, /Unknown option "colour"$/],
  ...[0, -1, 2_147_483_648, NaN, '1'].map(value =>
    [`a ttl of ${JSON.stringify(value)} milliseconds`, { limits: { ttl: value } }, must(
      'limits.ttl', 'a number of milliseconds from 1 to 2147483647'
    )]),
  ['an unknown limit', { limits: { album: 1 } }, /Unknown option "limits.album"$/],
  ['an unknown list', { lists: { dayly: true } }, /"lists.dayly": did you mean "daily"/],
  ...['daily', 'toplists'].map(name =>
    [`a list ${name} that is no flag`, { lists: { [name]: 1 } }, must(`lists.${name}`, 'a boolean')]),
  ['recommended lists that are no flag', { lists: { recommended: 1 } },
    must('lists.recommended', 'a boolean or a function')],
  ...['/a/', '/', 'a', 'a/b', 1, ['/a']].map(prefix => [
    `the prefix ${JSON.stringify(prefix)}`, { prefix },
    must('prefix', 'a path that starts with / and does not end with it')
  ]),
  ...['pipe', '', 1, ['auto']].map(media => [`the media ${JSON.stringify(media)}`, { media }, must(
    'media', '\'auto\', \'proxy\', \'redirect\' or a function'
  )]),
  ...[['a/b'], ['a:b'], 'example.com', ['example.com', 1]].map(hosts =>
    [`the hosts ${JSON.stringify(hosts)}`, { hosts }, must('hosts', 'a list of names of hosts')]),
  ...[{ get: () => {} }, { change: () => {} }, 1].map(store => [
    `a store with ${Object.keys(store).join() || 'nothing'}`, { store },
    must('store', 'an object with the functions get and change')
  ]),
  ['a log level that is none', { logLevel: 1 }, must('logLevel', 'a string')],
  ...['limits', 'lists', 'logSerializers'].flatMap(name => [1, [], null].map(value =>
    [`${name} that are ${JSON.stringify(value)}`, { [name]: value }, must(name, 'an object')])),
  ...['true', ['a/b']].map(allowPrivate => [
    `allowPrivate that is ${JSON.stringify(allowPrivate)}`, { allowPrivate },
    must('allowPrivate', 'a boolean or a list of names of hosts')
  ]),
  ...['resolveLogin', 'resizeCover', 'downloadUrl'].map(name =>
    [`${name} that is no function`, { [name]: {} }, must(name, 'a function')])
] as [string, any, RegExp][]) {
  t.test(`${title} is refused`, async t => {
    const app = fastify()
    t.teardown(() => app.close())
    await t.rejects(async () => { await app.register(subsonic, options) }, { message, code: /^SOURCE_ORIGIN_ERR_/ })
  })
}

for (const [title, options] of [
  ['the longest times', { limits: { ttl: 2_147_483_647 } }],
  ['the shortest times', { limits: { ttl: 1 } }],
  ['no prefix', { prefix: '' }],
  ['a prefix of two parts', { prefix: '/a/b' }],
  ['options that are undefined',
    { media: undefined, store: undefined, limits: undefined, lists: undefined, hosts: undefined }],
  ['Fastify\'s own options', { logLevel: 'warn', logSerializers: {} }],
  ['hosts', { hosts: ['example.com', 'example.com:8080', '*.example.com'] }],
  ['no private addresses', { allowPrivate: false }],
  ['private addresses of some hosts', { allowPrivate: ['nas.local:8080'] }]
] as [string, any][]) {
  t.test(`${title} are taken`, async t => {
    const app = fastify(roomy)
    t.teardown(() => app.close())
    registerSource(app, { resolveContext: () => null }, options.prefix)
    await t.resolves(async () => { await app.register(subsonic, options) })
  })
}

t.test('what the options are where nothing is said', async t => {
  const { resolveLogin, store, ...rest } = validateSubsonicOptions({})
  t.strictSame(rest, {
    hasLogin: false,
    title: 'fastify-source-origin',
    media: 'auto',
    allowPrivate: false,
    limits: { ttl: 600_000 },
    lists: { daily: true, toplists: true, recommended: true }
  })
})

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
  registerSource(app, { resolveContext: () => null }, '/music')
  await app.register(subsonic, Object.freeze({ prefix: '/music', limits: Object.freeze({ ttl: 1000 }) }))
  app.post('/mine', async request => request.body)
  t.strictSame((await app.inject({ method: 'POST', url: '/mine', payload: { a: 1 } })).json(), { a: 1 })
  t.equal((await app.inject(
    { method: 'POST', url: '/mine', headers: { 'content-type': 'application/x-www-form-urlencoded' }, payload: 'a=1' }
  )).statusCode, 415)
  t.equal((await app.inject('/nothing')).statusCode, 404)
})

t.test('a limit that is undefined has its default', async t => {
  const { adapter } = publicSource(1, 3)
  const app =
    await serve(t, { limits: { ttl: undefined } as any, context: { stateless: true }, adapter })
  t.equal((await ask(app, 'search3', { songCount: 0 })).searchResult3.album.length, 3)
})

t.test('the store of memory keeps what was used last, within 64 MB', async t => {
  const store = memoryStore()
  const text = 'x'.repeat(10_000_000)
  for (const key of ['a', 'b', 'c']) await store.change(key, () => text)
  await store.get('a')
  await store.change('d', () => text)
  t.strictSame(await Promise.all(['a', 'b', 'c', 'd'].map(async key => await store.get(key) === text)), [
    true, false, true, true
  ])
  await store.change('a', () => undefined)
  t.equal(await store.get('a'), undefined)
})

const account = { username: 'a', password: 'b' }
const url = 'http://localhost'
const anUrl = must('url', 'an http or https URL without credentials, query and fragment')
for (const [title, options, message] of [
  ['no url', account, anUrl],
  ...[
    `${url}?a`, `${url}#a`, `${url}?`, 'http://a:b@localhost', 'http://a@localhost', 'http://:b@localhost',
    'ftp://localhost', 'xhttp://localhost', 'httpsx://localhost', 'localhost', '/music', 1
  ]
    .map(url => [`the url ${JSON.stringify(url)}`, { ...account, url }, anUrl]),
  ['no user', { url }, must('username', 'given, with password, or apiKey instead')],
  ['no user but a password', { url, password: 'b' }, must('username', 'given, with password, or apiKey instead')],
  ['no password', { url, username: 'a' }, must('password', 'given with username')],
  ...['username', 'password', 'apiKey'].flatMap(name => ['', 1].map(value =>
    [`${name} ${JSON.stringify(value)}`, { ...account, url, [name]: value }, must(name, 'a text that is not empty')])),
  ['a misspelt option', { ...account, url, pasword: 'b' }, /"pasword": did you mean "password"/],
  ...['basic', '', 1, ['auto']].map(auth => [
    `the way ${JSON.stringify(auth)} to log in`, { ...account, url, auth },
    must('auth', '\'auto\', \'token\' or \'password\'')
  ]),
  ...['Mars/Base', '', 1, null, {}, ['UTC']].map(timeZone => [
    `the time zone ${JSON.stringify(timeZone)}`, { ...account, url, timeZone },
    must('timeZone', 'the name of a time zone')
  ]),
  ...['mp3', true, null, 320, []].map(transcoding => [
    `the transcoding ${JSON.stringify(transcoding)}`, { ...account, url, transcoding },
    must('transcoding', '\'auto\', false or an object with high, standard and format')
  ]),
  ...[undefined, '', 3].map(format => [
    `a transcoding to the format ${JSON.stringify(format)}`,
    { ...account, url, transcoding: { high: 1, standard: 1, format } },
    must('transcoding.format', 'a text that is not empty')
  ]),
  ...['high', 'standard'].flatMap(name => [0, 10_001, 1.5, '1', undefined].map(value =>
    [
      `a transcoding to ${name} ${JSON.stringify(value)}`,
      { ...account, url, transcoding: { high: 1, standard: 1, format: 'mp3', [name]: value } },
      must(`transcoding.${name}`, 'a whole number from 1 to 10000')
    ])),
  ['a transcoding with more', { ...account, url, transcoding: { high: 1, standard: 1, format: 'mp3', low: 1 } },
    /"transcoding.low"/],
  ...[{}, 1, { for: 1 }].map(upstream => [
    `the upstream ${JSON.stringify(upstream)}`, { ...account, url, upstream },
    must('upstream', 'an upstream made by createUpstream')
  ])
] as [string, any, RegExp][]) {
  t.test(`a server with ${title} is refused`, async t => {
    t.throws(() => createSubsonicClient(options), { message, code: /^SOURCE_ORIGIN_ERR_/ })
  })
}

for (const [title, more] of [
  ['the least', { transcoding: { high: 1, standard: 1, format: 'x' } }],
  ['the most', { transcoding: { high: 10_000, standard: 10_000, format: 'mp3' } }],
  ['no transcoding', { transcoding: false, auth: 'token', timeZone: 'Europe/Vienna' }],
  ['what is the default', { transcoding: 'auto', auth: 'auto', timeZone: 'UTC' }],
  ['an API key alone', { username: undefined, password: undefined, apiKey: 'k' }],
  ['an API key and a user', { password: undefined, apiKey: 'k' }]
] as [string, any][]) {
  t.test(`a server with ${title} is taken`, async t => {
    const client = createSubsonicClient({ url, ...account, ...more })
    t.teardown(() => client.close())
    t.match(client.options, more)
  })
}

t.test('what a server has where nothing is said', async t => {
  const client = createSubsonicClient({ url, ...account })
  t.teardown(() => client.close())
  t.strictSame({ ...client.options }, {
    url, ...account, auth: 'auto', transcoding: 'auto', timeZone: 'UTC', library: {}
  })
  t.equal(client.type, 'Subsonic')
  t.strictSame(client.playlistSortOptions.map(({ key, label }) => [key, label]), [
    ['title', 'Title'], ['artist', 'Artist'], ['album', 'Album'], ['duration', 'Duration'], ['added', 'Date added']
  ])
  t.strictSame(client.qualityMap, [
    { key: 'lossless', label: 'Lossless' }, { key: 'high', label: 'High' }, { key: 'standard', label: 'Standard' }
  ])
})

t.test('an address stands with or without /rest and slashes at its end; an account is of an address', async t => {
  const servers = ['/music', '/music/', '/music/rest', '/music/rest//', '/music//rest', '/restful'].map(path =>
    createSubsonicClient({ url: url + path, ...account }))
  const others = [{ username: 'c', password: 'b' }, { apiKey: 'a' }, { username: 'a', password: 'other' }].map(login =>
    createSubsonicClient({ url: `${url}/music`, ...login }))
  t.teardown(() => Promise.all([...servers, ...others].map(client => client.close())))
  t.strictSame(servers.map(({ options }) => options.url), [...Array(5).fill(`${url}/music`), `${url}/restful`])
  t.strictSame(new Set(servers.slice(0, 5).map(({ account }) => account)).size, 1)
  t.strictSame(
    new Set([...servers.slice(4), ...others].map(({ account }) => account)).size, 4, 'a password is not part of it'
  )
})

t.test('an adapter without media is refused', async t => {
  t.throws(() => createSubsonicAdapter({ url, ...account } as any), { message: /"media" must be a function/ })
  t.throws(() => createSubsonicAdapter(createSubsonicClient({ url, ...account }), undefined as any), {
    message: /"media"/
  })
})

for (const [name, options, method, query] of [
  ['resizeCover', (later: any) => ({ resizeCover: later }), 'getCoverArt', { id: 'al-b0', size: '10' }],
  ['media', (later: any) => ({ media: later }), 'getCoverArt', { id: 'al-b0' }],
  ['recommended', (later: any) => ({ lists: { recommended: later } }), 'getPlaylists', {}]
] as const) {
  t.test(`a promise of ${name} is an error, and its rejection does not end the process`, async t => {
    const app = await serve(t, { adapter, ...options(async () => { throw new Error('secret') }) })
    const { body } = await get(app, method, query)
    t.match(body, /status="failed".*code="0" message="internal server error"/i)
  })
}
