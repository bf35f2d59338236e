import t from 'tap'
import fastify from 'fastify'
import { createSourceRouter, operations, sdkVersion, type SourceAdapter, type SourceContext } from 'fastify-source-origin'
import { checkSource, createSourceClient, rules, type CheckOptions } from 'fastify-source-origin/check'
import { createReferenceAdapter, buildReference, playlistSortOptions, qualityMap, token } from '../reference-source.ts'
import { listen, serve, thrownBy } from '../client/helper.ts'
import { faults } from './faults.ts'
import { listenWithPlant } from './planted-origin.ts'

const client = (baseUrl: string) => createSourceClient({ baseUrl, authorization: token })
const outcomesOf = ({ operations }: Awaited<ReturnType<typeof checkSource>>) =>
  Object.fromEntries(operations.map(({ operation, outcome }) => [operation, outcome]))

/** An app around an adapter, for the token of the reference. */
async function build (adapter: SourceAdapter, { prefix = '', ...context }: Partial<SourceContext> & { prefix?: string } = {}) {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(createSourceRouter({
    resolveContext: ({ authorization }) => authorization === token ? { adapter, ...context } : null, prefix
  }))
  return app
}

t.test('a sound source has no findings, asked without a socket', async t => {
  const app = await buildReference()
  t.teardown(() => app.close())
  const report = await checkSource({ app, authorization: token, write: true })
  t.strictSame(report.findings, [])
  t.strictSame(report.operations.filter(({ outcome }) => outcome !== 'ok'), [])
  t.match(report, { outcome: 'ok', source: 'http://localhost', version: sdkVersion })
  t.equal(report.operations.length, operations.length + 2)
})

t.test('a sound source has no findings, asked through its socket', async t => {
  const at = { origin: '' }
  at.origin = await listen(t, await buildReference({}, at))
  const report = await checkSource({ client: client(at.origin), write: true })
  t.strictSame(report.findings, [])
  t.equal(report.source, at.origin)
})

t.test('an origin whose adapter is the client of another one has no findings', async t => {
  const at = { origin: '' }
  const remote = client(at.origin = await listen(t, await buildReference({}, at)))
  for (const adapter of [remote, await remote.offered()]) {
    const app = await build(adapter, { stateless: false, qualityMap, playlistSortOptions })
    t.strictSame((await checkSource({ app, authorization: token, write: true })).findings, [])
  }
})

t.test('a prefix', async t => {
  const app = await build(createReferenceAdapter(() => 'https://elsewhere.example'), { prefix: '/music', qualityMap, playlistSortOptions })
  const report = await checkSource({ app, authorization: token, prefix: '/music' })
  t.strictSame(report.findings, [])
  t.equal(report.source, 'http://localhost/music')
})

t.test('a stateless source does not offer what needs an account', async t => {
  const app = await build(createReferenceAdapter(() => 'http://elsewhere.example'))
  const report = await checkSource({ app, authorization: token, write: true })
  t.strictSame(report.findings, [])
  const outcomes = outcomesOf(report)
  for (const { adapterMethod, stateful } of operations) t.equal(outcomes[adapterMethod], stateful ? 'not offered' : 'ok', adapterMethod)
})

t.test('a source with nothing in it offers nothing, and that is fine', async t => {
  const report = await checkSource({ app: await build({}), authorization: token })
  t.strictSame(report.findings, [])
  t.strictSame([...new Set(Object.values(outcomesOf(report)))].sort(), ['not offered', 'ok'])
})

for (const keyword of [undefined, 'noon']) {
  t.test(`a source that only searches: the items come from the search for ${keyword ?? 'common words'}`, async t => {
    const { searchTracks, getTrackDetail } = createReferenceAdapter(() => 'http://elsewhere.example')
    const report = await checkSource({ app: await build({ searchTracks, getTrackDetail }), authorization: token, keyword })
    t.strictSame(report.findings, [])
    t.equal(outcomesOf(report).getTrackDetail, 'ok')
  })
}

t.test('a source that only searches, for a keyword that leads to nothing', async t => {
  const { searchTracks, getTrackDetail } = createReferenceAdapter(() => 'http://elsewhere.example')
  const report = await checkSource({ app: await build({ searchTracks, getTrackDetail }), authorization: token, keyword: 'nowhere' })
  t.match(report.findings, [{ rule: 'nothing-found', operation: 'getTrackDetail' }])
  t.equal(outcomesOf(report).searchTracks, 'ok')
})

t.test('a source that plays every id: the audio of an id that the check made up is not opened', async t => {
  const app = await build({ getTrackUrl: id => ({ url: `http://localhost/audio/${id}`, quality: 'high' }) })
  const { findings } = await checkSource({ app, authorization: token })
  t.strictSame(findings.map(({ rule, operation }) => [rule, operation]), [['nothing-found', 'getTrackUrl']])
})

t.test('a very short token does not spoil the report', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const adapter = { getTrackUrl: () => ({ url: 'http://localhost/audio', quality: 'high' }) }
  await app.register(createSourceRouter({ resolveContext: ({ authorization }) => authorization === 't' ? { adapter } : null }))
  const { findings } = await checkSource({ app, authorization: 't' })
  t.strictSame(findings.map(({ request }) => request), ['GET /v1/track/url'])
})

t.test('a source with playlists only: tracks come from their details', async t => {
  const { getPlaylists, getPlaylistDetail, getTrackLyrics } = createReferenceAdapter(() => 'http://elsewhere.example')
  const report = await checkSource({ app: await build({ getPlaylists, getPlaylistDetail, getTrackLyrics }), authorization: token })
  t.strictSame(report.findings, [])
  t.equal(outcomesOf(report).getTrackLyrics, 'ok')
})

t.test('nothing is written without write', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const writes = operations.filter(({ method }) => method === 'POST').map(({ adapterMethod }) => adapterMethod)
  const spied = { ...adapter, ...Object.fromEntries(writes.map(name => [name, () => { throw new Error('Written') }])) }
  const report = await checkSource({ app: await build(spied, { stateless: false }), authorization: token })
  for (const name of writes) t.equal(outcomesOf(report)[name], 'not run')
})

t.test('with write, what was changed is as it was before', async t => {
  const adapter = createReferenceAdapter(() => 'https://elsewhere.example')
  const state = () => JSON.stringify([adapter.userFavoriteTracks(), adapter.userArtists(), adapter.userAlbums(), adapter.getUserPlaylist()])
  const before = state()
  await checkSource({ app: await build(adapter, { stateless: false }), authorization: token, write: true })
  t.equal(state(), before)
})

t.test('with write and nothing but favourites: they are made none, and favourites again', async t => {
  const { getTopArtists, favoriteArtist } = createReferenceAdapter(() => 'http://elsewhere.example')
  const favored = { getTopArtists: async () => (await getTopArtists()).filter(({ favorite }) => favorite), favoriteArtist }
  const report = await checkSource({ app: await build(favored, { stateless: false }), authorization: token, write: true, only: ['artist'] })
  t.strictSame(report.findings, [])
  t.match(await getTopArtists(), [{ favorite: false }, { favorite: true }])
})

t.test('with write, what is no favourite is tried rather than what is one', async t => {
  const { getTrackDetail, favoriteTrack, userFavoriteTracks } = createReferenceAdapter(() => 'https://elsewhere.example')
  const calls: unknown[] = []
  const recorded = (id: string, status: boolean) => { calls.push([id, status]); return favoriteTrack(id, status) }
  const getNewTracks = async () => [await getTrackDetail('t1'), await getTrackDetail('t2')]
  const app = await build({ getNewTracks, userFavoriteTracks, favoriteTrack: recorded }, { stateless: false })
  await checkSource({ app, authorization: token, write: true, only: ['favoriteTrack'] })
  t.strictSame(calls, [['t2', true], ['t2', false]])
})

t.test('with write and no way to know the state before, a favourite is left alone', async t => {
  const { getPlaylists } = createReferenceAdapter(() => 'http://elsewhere.example')
  const favoritePlaylist = () => { throw new Error('Written') }
  const app = await build({ getPlaylists, favoritePlaylist }, { stateless: false })
  const report = await checkSource({ app, authorization: token, write: true, only: ['favoritePlaylist'] })
  t.strictSame(report.findings.map(({ rule, operation }) => [rule, operation]), [['nothing-found', 'favoritePlaylist']])
})

t.test('a change that cannot be undone is told', async t => {
  const { userFavoriteTracks, getNewTracks, favoriteTrack } = createReferenceAdapter(() => 'https://elsewhere.example')
  const sticky = (id: string, status: boolean) => status ? favoriteTrack(id, status) : { success: false, status: true }
  const app = await build({ userFavoriteTracks, getNewTracks, favoriteTrack: sticky }, { stateless: false })
  const report = await checkSource({ app, authorization: token, write: true, only: ['favoriteTrack'] })
  t.match(report.findings, [{ rule: 'write-refused' }, { rule: 'write-not-undone', message: 'the track t8 is no longer as it was' }])
})

for (const [title, answer, rules] of [
  ['without an id', { status: 200, body: { code: 200, data: { id: 7, name: 'Made by a check' } } }, ['member-missing', 'id-not-string', 'write-not-undone']],
  ['with 500', { status: 500, body: { code: 500, message: 'Planted', data: null } }, ['answer-error', 'write-not-undone']],
  ['not at all', 'break', ['no-answer', 'write-not-undone']]
] as const) {
  t.test(`a new playlist that is answered ${title} may be there for ever, and that is told`, async t => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const planted = answer === 'break' ? answer : { headers, ...answer }
    const baseUrl = await listenWithPlant(t, async ({ path, token }, sound) =>
      path === '/v1/playlist/create' && token === 'right' ? planted : sound())
    const { findings } = await checkSource({ client: client(baseUrl), write: true, only: ['deletePlaylist', 'createPlaylist'] })
    t.strictSame([...new Set(findings.map(({ rule }) => rule))].sort(), [...rules].sort())
    t.ok(findings.every(({ operation }) => operation === 'createPlaylist'))
  })
}

t.test('a playlist that cannot be added to is deleted all the same', async t => {
  const adapter = createReferenceAdapter(() => 'https://elsewhere.example')
  const full = { ...adapter, addTrackToPlaylist: () => ({ success: false }) }
  const report = await checkSource({ app: await build(full, { stateless: false }), authorization: token, write: true })
  t.match(report.findings.map(({ rule, operation }) => [rule, operation]), [['write-refused', 'addTrackToPlaylist']])
  t.strictSame(await adapter.getUserPlaylist(), [])
})

t.test('an open source is told for every operation', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(createSourceRouter({ resolveContext: () => ({ adapter: createReferenceAdapter(() => 'https://elsewhere.example') }) }))
  const { findings } = await checkSource({ app })
  t.equal(findings.filter(({ rule }) => rule === 'authorisation-wrong').length, operations.length + 1)
})

t.test('only: tags and operations', async t => {
  const app = await buildReference()
  t.teardown(() => app.close())
  const report = await checkSource({ app, authorization: token, only: ['toplist', 'getTrackUrl'] })
  t.strictSame(Object.entries(outcomesOf(report)), [
    ['serviceStatus', 'ok'], ['status', 'ok'], ['getToplist', 'ok'], ['getToplistTracks', 'ok'], ['getTrackUrl', 'ok']
  ])
})

t.test('only: findings about others are left out', async t => {
  const { plant } = faults.find(({ operation }) => operation === 'getNewTracks')!
  const baseUrl = await listenWithPlant(t, plant)
  t.strictSame((await checkSource({ client: client(baseUrl), only: ['search'] })).findings, [])
})

t.test('a source that stops answering is left alone', async t => {
  const asked: string[] = []
  const baseUrl = await listenWithPlant(t, async ({ path }, sound) => {
    if (path === '/status' || path === '/v1/status') return sound()
    asked.push(path)
    return 'break'
  })
  const report = await checkSource({ client: client(baseUrl), concurrency: 1 })
  t.strictSame(report.findings.map(({ rule }) => rule).sort(), ['gave-up', 'no-answer', 'no-answer', 'no-answer'])
  // fetch asks once more by itself when a kept connection breaks.
  t.ok(new Set(asked).size <= 3)
  t.equal(outcomesOf(report).getTrackUrl, 'not checked')
})

t.test('a status that does not answer, or is none, does not end the check', async t => {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  for (const answer of ['break', { status: 200, headers, body: { code: 200, data: {} } }] as const) {
    const baseUrl = await listenWithPlant(t, async ({ path, token }, sound) =>
      path === '/v1/status' && token === 'right' ? answer : sound())
    const report = await checkSource({ client: client(baseUrl) })
    t.strictSame([...new Set(report.findings.map(({ operation }) => operation))], ['status'])
    t.equal(outcomesOf(report).getTrackUrl, 'ok')
  }
})

t.test('a status whose lists are none', async t => {
  const baseUrl = await listenWithPlant(t, async ({ path, token }, sound) => {
    const given = await sound()
    if (path === '/v1/status' && token === 'right') given.body.data.qualityMap = null
    return given
  })
  t.match((await checkSource({ client: client(baseUrl) })).findings, [{ rule: 'type-wrong', path: '/data/qualityMap' }])
})

t.test('audio and covers are opened without the token, and nothing that could write is sent without a good one', async t => {
  const media = new Set<string>()
  const bodies = new Set<string>()
  const baseUrl = await listenWithPlant(t, async ({ path, token, body, range }, sound) => {
    if (!path.startsWith('/v1') && path !== '/status') media.add(`${path.split('/')[1]} ${token} ${range}`)
    if (body !== undefined) bodies.add(`${token} ${JSON.stringify(body)}`)
    return sound()
  })
  await checkSource({ client: client(baseUrl) })
  t.strictSame([...media].sort(), ['audio none bytes=0-1023', 'covers none undefined'])
  t.strictSame([...bodies].sort(), ['none {}', 'wrong {}'])
})

t.test('the token and control characters of a server do not reach the report', async t => {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const body = { code: 500, message: `\u001b[31m${token}`, data: null, '\ud800': '\u009b\n' }
  const baseUrl = await listenWithPlant(t, async ({ path, token }, sound) =>
    path === '/v1/track/new' && token === 'right' ? { status: 500, headers, body } : sound())
  const { findings } = await checkSource({ client: client(baseUrl) })
  t.ok(findings.length > 0)
  t.notMatch(JSON.stringify(findings), token)
  for (const { message } of findings) t.notMatch(message, /[\p{Cc}\p{Cs}]/u)
})

const json = { 'content-type': 'application/json' }
const hostile: [string, Parameters<typeof serve>[1]][] = [
  ['HTML', (_request, response) => { response.setHeader('content-type', 'text/html').end('<html>') }],
  ['broken JSON', (_request, response) => { response.writeHead(200, json).end('{"status":') }],
  ['JSON of something else', (_request, response) => { response.writeHead(200, json).end('[]') }],
  ['404', (_request, response) => { response.writeHead(404).end() }],
  ['a redirect to itself', (request, response) => { response.writeHead(302, { location: request.url }).end() }],
  ['bodies without an end', (_request, response) => {
    const write = () => { while (response.write('x'.repeat(65536))); }
    response.on('drain', write)
    write()
  }]
]
for (const [title, listener] of hostile) {
  t.test(`a server that answers ${title}: one clear finding`, async t => {
    const report = await checkSource({ client: client(await serve(t, listener)) })
    t.match(report.findings, [{ rule: 'service-status', hint: rules['service-status'].hint }])
    t.equal(report.findings.length, 1)
    t.equal(report.outcome, 'broken')
  })
}

t.test('a server that never answers: TimeoutError', async t => {
  const baseUrl = await serve(t, () => {})
  t.match(await thrownBy(checkSource({ client: client(baseUrl), timeout: 50 })), { name: 'TimeoutError' })
})

t.test('a server that trickles: TimeoutError', async t => {
  const baseUrl = await serve(t, (_request, response) => { response.write('{') })
  t.match(await thrownBy(checkSource({ client: client(baseUrl), timeout: 50 })), { name: 'TimeoutError' })
})

t.test('a host that refuses: UpstreamError that says so', async t => {
  const error = await thrownBy(checkSource({ client: client('http://127.0.0.1:1') }))
  t.match(error, { name: 'UpstreamError', message: /^http:\/\/127\.0\.0\.1:1 cannot be reached: .+/ })
})

t.test('a failure of fetch without a message: UpstreamError with its code', async t => {
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
  const fetch = async () => { throw new TypeError('fetch failed', { cause: refused }) }
  const client = createSourceClient({ baseUrl: 'http://localhost', fetch })
  t.match(await thrownBy(checkSource({ client })), { name: 'UpstreamError', message: 'http://localhost cannot be reached: ECONNREFUSED' })
})

t.test('a token that the source refuses: UnauthorizedError', async t => {
  const app = await buildReference()
  t.teardown(() => app.close())
  t.match(await thrownBy(checkSource({ app, authorization: 'another-token' })), { name: 'UnauthorizedError' })
})

t.test('the signal ends the check with its reason', async t => {
  const app = await buildReference()
  t.teardown(() => app.close())
  const controller = new AbortController()
  const onProgress = () => controller.abort(new Error('No longer wanted'))
  t.match(await thrownBy(checkSource({ app, authorization: token, signal: controller.signal, onProgress })), { message: 'No longer wanted' })
})

const bad: [string, object][] = [
  ['concurrency', { concurrency: 0 }],
  ['concurrency', { concurrency: 1.5 }],
  ['timeout', { timeout: -1 }],
  ['only', { only: ['tracks'] }],
  ['client', { client: {} }],
  ['client', { client: undefined }]
]
for (const [name, options] of bad) {
  t.test(`${JSON.stringify(options)} is refused by name`, async t => {
    const all = { client: client('http://127.0.0.1:1'), ...options } as CheckOptions
    t.match(await thrownBy(checkSource(all)), { name: 'TypeError', message: `"${name}"` })
  })
}

t.test('every rule has a fault that shows it', async t => {
  const shown = new Set<string>(['gave-up', ...faults.map(({ rule }) => rule)])
  t.strictSame(Object.keys(rules).filter(rule => !shown.has(rule)), [])
  t.ok(shown.size >= 30)
})
