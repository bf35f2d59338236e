import t from 'tap'
import fastify from 'fastify'
import { Readable } from 'node:stream'
import {
  createSourceRouter, NotFoundError, operations, sdkVersion, type ResolveContext, type SourceAdapter
} from 'fastify-source-origin'
import { checkSource, createSourceClient, type CheckOptions } from 'fastify-source-origin/check'
import { rules } from '../../lib/check/rules.ts'
import { createReferenceAdapter, buildReference, playlistSortOptions, qualityMap, token } from '../reference-source.ts'
import { listen, serve, thrownBy } from '../client/helper.ts'
import { build } from '../helper.ts'
import { printReport } from '../../lib/check/report/print-report.ts'
import { operationOf } from '../../lib/contract/operations.ts'
import { faults } from './faults.ts'
import { clientOfFaulty, listenFaulty, type InjectFault } from './faulty-origin.ts'
import { everywhere, failure, spoil, spoilData } from './inject-faults.ts'
import { libraryFaults } from './library-faults.ts'

const client = (baseUrl: string) => createSourceClient({ baseUrl, authorization: token })
/** Options of a host whose source has no accounts. */
const stateless = (adapter: SourceAdapter) => ({ adapter, context: { stateless: true } })

const outcomesOf = ({ operations }: Awaited<ReturnType<typeof checkSource>>) =>
  Object.fromEntries(operations.map(({ operation, outcome }) => [operation, outcome]))

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
  for (const adapter of [remote, (await remote.offered()).adapter]) {
    const app = await build(t, { adapter, context: { qualityMap, playlistSortOptions } })
    t.strictSame((await checkSource({ app, authorization: token, write: true })).findings, [])
  }
})

t.test('a prefix', async t => {
  const app = await build(t, {
    adapter: createReferenceAdapter(() => 'https://elsewhere.example'),
    prefix: '/music',
    context: { qualityMap, playlistSortOptions }
  })
  const report = await checkSource({ app, authorization: token, prefix: '/music' })
  t.strictSame(report.findings, [])
  t.equal(report.source, 'http://localhost/music')
})

t.test('a stateless source does not offer what needs an account', async t => {
  const app = await build(t, stateless(createReferenceAdapter(() => 'http://elsewhere.example')))
  const report = await checkSource({ app, authorization: token, write: true })
  t.strictSame(report.findings, [])
  const outcomes = outcomesOf(report)
  for (const { adapterMethod, stateful } of operations) {
    t.equal(outcomes[adapterMethod], stateful ? 'not offered' : 'ok', adapterMethod)
  }
})

t.test('a source with nothing in it offers nothing, and that is fine', async t => {
  const report = await checkSource({ app: await build(t, stateless({})), authorization: token })
  t.strictSame(report.findings, [])
  t.strictSame([...new Set(Object.values(outcomesOf(report)))].sort(), ['not offered', 'ok'])
})

for (const keyword of [undefined, 'noon']) {
  t.test(`a source that only searches: the items come from the search for ${keyword ?? 'common words'}`, async t => {
    const { searchTracks, getTrackDetail } = createReferenceAdapter(() => 'http://elsewhere.example')
    const report =
      await checkSource({
        app: await build(t, stateless({ searchTracks, getTrackDetail })), authorization: token, keyword
      })
    t.strictSame(report.findings, [])
    t.equal(outcomesOf(report).getTrackDetail, 'ok')
  })
}

t.test('a source that only searches, for a keyword that leads to nothing', async t => {
  const { searchTracks, getTrackDetail } = createReferenceAdapter(() => 'http://elsewhere.example')
  const report = await checkSource({
    app: await build(t, stateless({ searchTracks, getTrackDetail })), authorization: token, keyword: 'nowhere'
  })
  t.match(report.findings, [{ rule: 'nothing-found', operation: 'getTrackDetail' }])
  t.equal(outcomesOf(report).searchTracks, 'ok')
})

t.test('a source that plays every id: the audio of an id that the check made up is not opened', async t => {
  const getTrackUrl = (id: string) => ({ url: `http://localhost/audio/${id}`, quality: 'high' })
  const app = await build(t, stateless({ getTrackUrl }))
  const { findings } = await checkSource({ app, authorization: token })
  t.strictSame(findings.map(({ rule, operation }) => [rule, operation]), [['nothing-found', 'getTrackUrl']])
})

t.test('stations: the report says what was sampled, and more samples find the dead stream', async t => {
  const stations = Array.from({ length: 20 }, (_, at) => ({
    id: `fm/${at}`,
    title: `Station ${at}`,
    artists: [],
    album: { id: `fm/${at}`, name: 'Live', coverUrl: '' },
    durationMs: 0,
    qualities: [{ key: 'live', label: 'Live', size: 0, format: 'mp3' }]
  }))
  const find = (id: string) => {
    const station = stations.find(station => station.id === id)
    if (station === undefined) throw new NotFoundError('Station not found')
    return station
  }
  const app = await build(t, stateless({
    getNewTracks: () => stations,
    getTrackDetail: find,
    getTrackUrl (id) {
      const name = find(id) === stations[15] ? id : encodeURIComponent(id)
      return { url: `http://localhost/live/${name}`, quality: 'live' }
    }
  }))
  let open = 0
  app.get('/live/:id', (_request, reply) => {
    open++
    const live = Readable.from((function * () { while (true) yield Buffer.alloc(1000) })())
    return reply.type('audio/mpeg').send(live.once('close', () => open--))
  })
  const few = await checkSource({ app, authorization: token })
  t.strictSame(few.findings, [])
  t.strictSame(few.sampled.track, { asked: 3, known: 20 })
  t.match(printReport(few, false), /\nasked by id: 3 of 20 tracks; --samples <n> asks for more/)
  const all = await checkSource({ app, authorization: token, samples: 20 })
  t.strictSame(all.findings.map(({ rule, message }) => [rule, message]), [
    ['audio-status', 'answered 404: the URL has the id fm/15 as it is, without encodeURIComponent']
  ])
  t.notMatch(printReport(all, false), 'asked by id')
  t.equal(open, 0, 'every stream was ended')
})

t.test('audio of the app that redirects to another origin is not judged without a socket', async t => {
  const { getNewTracks } = createReferenceAdapter(() => 'https://elsewhere.example')
  const app =
    await build(t, stateless({ getNewTracks, getTrackUrl: () => ({ url: 'http://localhost/audio', quality: 'high' }) }))
  app.get('/audio', (_request, reply) => reply.redirect('https://elsewhere.example/audio'))
  const { findings, notLoaded } = await checkSource({ app, authorization: token })
  t.strictSame(findings.map(({ rule }) => rule), ['unknown-id'])
  t.ok(notLoaded.some(({ url }) => url === 'https://elsewhere.example/audio'), 'the report lists it')
})

t.test('audio and covers elsewhere are listed as not loaded, without their queries and once each', async t => {
  const app = await build(t, stateless(createReferenceAdapter(() => 'https://elsewhere.example')))
  const { outcome, notLoaded } = await checkSource({ app, authorization: token, only: ['track'] })
  t.equal(outcome, 'ok')
  t.ok(notLoaded.some(({ operation, path }) => operation === 'getTrackUrl' && path === '/data/url'))
  t.ok(notLoaded.some(({ path }) => /coverUrl$/.test(path)))
  t.ok(notLoaded.every(({ url }) => /^https:\/\/elsewhere\.example\/[^?]+$/.test(url)))
  t.equal(new Set(notLoaded.map(({ url }) => url)).size, notLoaded.length)
  t.ok(notLoaded.every(({ operation }) => operation.includes('Track')), 'of the operations that are wanted')
})

t.test('a very short token does not spoil the report', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  const adapter = { getTrackUrl: () => ({ url: 'http://localhost/audio', quality: 'high' }) }
  await app.register(createSourceRouter({
    resolveContext: ({ authorization }) =>
      authorization === 't' ? { adapter } : null
  }))
  const { findings } = await checkSource({ app, authorization: 't' })
  t.strictSame(findings.map(({ request }) => request), ['GET /v1/track/url'])
})

t.test('a source with playlists only: tracks come from their details', async t => {
  const { getPlaylists, getPlaylistDetail, getTrackLyrics } = createReferenceAdapter(() => 'http://elsewhere.example')
  const report = await checkSource({
    app: await build(t, stateless({ getPlaylists, getPlaylistDetail, getTrackLyrics })), authorization: token
  })
  t.strictSame(report.findings, [])
  t.equal(outcomesOf(report).getTrackLyrics, 'ok')
})

t.test('nothing is written without write', async t => {
  const adapter = createReferenceAdapter(() => 'http://localhost')
  const writes = operations.filter(({ method }) => method === 'POST').map(({ adapterMethod }) => adapterMethod)
  const spied = { ...adapter, ...Object.fromEntries(writes.map(name => [name, () => { throw new Error('Written') }])) }
  const report = await checkSource({ app: await build(t, { adapter: spied }), authorization: token })
  for (const name of writes) t.equal(outcomesOf(report)[name], 'not run')
})

t.test('an open source is told for every operation', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(createSourceRouter({
    resolveContext: () =>
      ({ adapter: createReferenceAdapter(() => 'https://elsewhere.example') })
  }))
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
  const { inject } = faults.find(({ operation }) => operation === 'getNewTracks')!
  const baseUrl = await listenFaulty(t, inject)
  t.strictSame((await checkSource({ client: client(baseUrl), only: ['search'] })).findings, [])
})

t.test('a source that stops answering is left alone', async t => {
  const asked: string[] = []
  const baseUrl = await listenFaulty(t, async ({ path }, sound) => {
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
    const baseUrl = await listenFaulty(t, async ({ path, token }, sound) =>
      path === '/v1/status' && token === 'right' ? answer : sound())
    const report = await checkSource({ client: client(baseUrl), only: ['track'] })
    t.strictSame([...new Set(report.findings.map(({ operation }) => operation))], ['status'])
    t.equal(outcomesOf(report).getTrackUrl, 'ok')
  }
})

t.test('a source without a status that answers 501 does not offer the operation', async t => {
  const { path } = operationOf('getNewTracks')
  const baseUrl = await listenFaulty(t, async (asked, sound) => {
    if (asked.path === '/v1/status' && asked.token === 'right') return 'break'
    const given = await sound()
    return asked.path === path && asked.token === 'right'
      ? { ...given, status: 501, body: { code: 501, message: 'Not supported by this source', data: null } }
      : given
  })
  const report = await checkSource({ client: client(baseUrl), only: ['getNewTracks'] })
  t.strictSame([...new Set(report.findings.map(({ operation }) => operation))], ['status'])
  t.equal(outcomesOf(report).getNewTracks, 'not offered')
})

t.test('a status whose lists are none', async t => {
  const baseUrl = await listenFaulty(t, async ({ path, token }, sound) => {
    const given = await sound()
    if (path === '/v1/status' && token === 'right') given.body.data.qualityMap = null
    return given
  })
  t.match((await checkSource({ client: client(baseUrl) })).findings, [{ rule: 'type-wrong', path: '/data/qualityMap' }])
})

t.test('audio and covers are opened without the token, and nothing can write without a good one', async t => {
  const media = new Set<string>()
  const bodies = new Set<string>()
  const baseUrl = await listenFaulty(t, async ({ path, token, body, headers }, sound) => {
    if (!path.startsWith('/v1') && path !== '/status') media.add(`${path.split('/')[1]} ${token} ${headers.range}`)
    if (body !== undefined) bodies.add(`${token} ${JSON.stringify(body)}`)
    return sound()
  })
  await checkSource({ client: client(baseUrl) })
  const audio = ['bytes=0-1023', 'bytes=1-1023', 'bytes=99999999999-'].map(range => `audio none ${range}`)
  t.strictSame([...media].sort(), [...audio, 'covers none undefined'])
  t.strictSame([...bodies].sort(), ['none {}', 'wrong {}'])
})

t.test('a radio without lengths, sizes and ranges has no findings', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  app.get('/stream', (_request, reply) => reply.type('audio/mpeg').send(Readable.from(function * () {
    while (true) yield Buffer.alloc(1000, 0xff)
  }())))
  const radio = { id: 'radio', name: '', coverUrl: '' }
  const qualities = [{ key: 'live', label: 'Live', size: 0 }]
  const stations = ['Jazz', 'Jazz', '<Classic>'].map((title, index) =>
    ({ id: `${index}`, title, artists: [], album: radio, durationMs: 0, qualities }))
  const find = (id: string) => stations.find(station => station.id === id) ?? Promise.reject(new NotFoundError('Gone'))
  const adapter: SourceAdapter = {
    getNewTracks: () => stations,
    getTrackDetail: find,
    getTrackUrl: async id => {
      await find(id)
      return { url: `${origin}/stream`, quality: 'live', format: 'mp3' }
    }
  }
  const context = { adapter, qualityMap: [{ key: 'live', label: 'Live' }] }
  const resolveContext: ResolveContext = ({ authorization }) => authorization === token ? context : null
  await app.register(createSourceRouter({ resolveContext }))
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const { findings } = await checkSource({ client: client(origin) })
  t.strictSame(findings, [])
})

t.test('the token and control characters of a server do not reach the report', async t => {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const body = { code: 500, message: `\u001b[31m${token}`, data: null, '\ud800': '\u009b\n' }
  const baseUrl = await listenFaulty(t, async ({ path, token }, sound) =>
    path === '/v1/track/new' && token === 'right' ? { status: 500, headers, body } : sound())
  const { findings } = await checkSource({ client: client(baseUrl) })
  t.ok(findings.length > 0)
  t.notMatch(JSON.stringify(findings), token)
  for (const { message } of findings) t.notMatch(message, /[\p{Cc}\p{Cs}]/u)
})

for (const [title, url] of [
  ['cut off', `ftp://music.example/${'x'.repeat(100 - 20 - 8)}${token}`],
  ['parted by control characters', `ftp://music.example/${token.slice(0, 5)}\u001b[0m${token.slice(5)}`]
] as const) {
  t.test(`a token that is ${title} does not reach the report`, async t => {
    const inject = spoilData('getTrackUrl', data => { data.url = url })
    const { findings } = await checkSource({ client: await clientOfFaulty(t, inject) })
    t.match(findings, [{ rule: 'audio-url', message: '[authorization]' }])
    t.notMatch(JSON.stringify(findings), token.slice(0, 5))
  })
}

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

t.test('a server that limits /status and is no source: its other answers say so', async t => {
  const report = await checkSource({
    client: client(
      await serve(t, (request, response) => { response.writeHead(request.url === '/status' ? 429 : 404).end('<html>') })
    ),
    only: ['status']
  })
  const rulesOf = (wanted: string) =>
    report.findings.filter(({ operation }) => operation === wanted).map(({ rule }) => rule)
  t.strictSame(rulesOf('serviceStatus'), ['rate-limited'])
  t.ok(rulesOf('status').includes('not-json'))
  t.equal(report.outcome, 'broken')
})

for (const [body, seen] of [[null, 'null'], [[], 'an array'], [7, 'number'], ['text', 'string']] as const) {
  t.test(`a finding says that the body is ${seen}`, async t => {
    const inject: InjectFault = async (asked, sound) => asked.path === '/v1/track/new' &&
      asked.token === 'right'
      ? { ...await sound(), body: JSON.stringify(body) }
      : sound()
    const { findings } = await checkSource({ client: await clientOfFaulty(t, inject), only: ['getNewTracks'] })
    t.ok(findings.some(({ rule, message }) =>
      rule === 'envelope' && message === `the body is ${seen} instead of an object`))
  })
}

for (const [member, value, message] of [
  ['title', null, 'Expected string instead of null'],
  ['title', 7, 'Expected string instead of number'],
  ['artists', {}, 'Expected array instead of object'],
  ['durationMs', [], 'Expected number instead of an array'],
  ['durationMs', -1, 'Expected number to be greater or equal to 0 instead of -1']
] as const) {
  t.test(`a finding says what a member is instead: ${message}`, async t => {
    const inject: InjectFault = async (asked, sound) => {
      const given = await sound()
      if (asked.path === '/v1/track/new' && given.status === 200) given.body.data[0][member] = value
      return given
    }
    const { findings } = await checkSource({ client: await clientOfFaulty(t, inject), only: ['getNewTracks'] })
    t.strictSame(findings.map(({ path, message }) => [path, message]), [[`/data/0/${member}`, message]])
  })
}

/** An object that has no text. */
const odd = { toString: 1 }
const half = '\ud83d'
for (const [title, inject, rules] of [
  ['an option null', spoilData('status', data => { data.qualityMap = data.playlistSortOptions = [null] }),
    ['type-wrong status', 'type-wrong status']],
  ['a key that is an object', spoilData('status', data => { data.qualityMap = [{ key: odd, label: '' }] }),
    ['type-wrong status']],
  ['a capability that is an object', spoilData('status', data => { data.capabilities.push(odd) }),
    ['type-wrong status']],
  ['a code that is an object', spoil('getNewTracks', given => ({ ...given, body: { code: odd } })),
    ['envelope getNewTracks']],
  ['a message that is an object', spoil('getNewTracks', given => ({ ...given, body: { code: 404, message: odd } })),
    ['error-as-success getNewTracks']],
  ['a title that is an object', spoilData('getNewTracks', data => { data[0].title = odd }),
    ['type-wrong getNewTracks']],
  ['a title with half of a character', spoilData('getNewTracks', data => { data[0].title = 'Waterfronts' + half }),
    ['detail-differs getTrackDetail', 'search-misses searchSuggest', 'search-misses searchTracks']],
  ['an id with half of a character', spoilData('getNewTracks', data => { data[0].id = half }),
    ['answer-error addTrackToPlaylist', 'answer-error favoriteTrack', 'id-unresolved getTrackDetail']],
  ['a new name that is an object', spoilData('updatePlaylist', data => { data.name = odd }),
    ['type-wrong updatePlaylist', 'write-no-effect updatePlaylist']],
  ['a state that is an object', spoilData('favoriteTrack', data => { data.status = odd }),
    ['type-wrong favoriteTrack', 'write-status favoriteTrack']]
] as const) {
  t.test(`a source that answers with ${title} does not end the check`, async t => {
    const { findings } = await checkSource({ client: await clientOfFaulty(t, inject), write: true })
    t.strictSame(findings.map(({ rule, operation }) => `${rule} ${operation}`).sort(), rules)
  })
}

t.test('tracks without a duration, all with the same qualities, do not end the check', async t => {
  const qualities = qualityMap.map(({ key, label }) => ({ key, label, size: 1 }))
  const inject = everywhere(text => JSON.stringify(JSON.parse(text, (name, value) =>
    name === 'durationMs' ? undefined : name === 'qualities' ? qualities : value)))
  const { findings } = await checkSource({ client: await clientOfFaulty(t, inject) })
  t.strictSame([...new Set(findings.map(({ rule }) => rule))].sort(), ['member-missing', 'qualities-copied'])
})

for (const [title, inject, operation] of [
  ['audio', async (asked, sound) => asked.path.startsWith('/audio') ? failure(429) : sound(), 'getTrackUrl'],
  ['a range of audio', async (asked, sound) => asked.headers.range?.startsWith('bytes=9') ? failure(429) : sound(),
    'getTrackUrl'],
  ['a huge body', async (asked, sound) => asked.body?.unknownMember?.length > 1000 ? failure(429) : sound(),
    'favoriteTrack']
] as [string, InjectFault, string][]) {
  t.test(`a limit that ${title} meets is told as one`, async t => {
    const { findings } = await checkSource({
      client: await clientOfFaulty(t, inject), write: true, only: ['getTrackUrl', 'favoriteTrack']
    })
    t.strictSame(findings.map(({ rule, operation }) => [rule, operation]), [['rate-limited', operation]])
  })
}

t.test('a search asks for the longest word of a name, the first of several', async t => {
  const keywords = new Set<string | null>()
  const inject: InjectFault = async (asked, sound) => {
    if (asked.path === '/v1/search/tracks' && asked.query.get('offset') === '0') {
      keywords.add(asked.query.get('keyword'))
    }
    const given = await sound()
    if (asked.path === '/v1/track/new' && given.status === 200) {
      given.body.data[0].title =
      ' On  the Waterfront Afterwards'
    }
    return given
  }
  await checkSource({ client: await clientOfFaulty(t, inject), only: ['getNewTracks', 'searchTracks'] })
  t.ok(keywords.has('Waterfront'), [...keywords].join())
})

t.test('a failure is told with the id of its request, where the source sends one', async t => {
  const failing = { status: 500, body: { code: 500, message: 'Internal server error', data: null } }
  const client = await clientOfFaulty(t, async (asked, sound) =>
    asked.path === '/v1/track/new' && asked.token === 'right'
      ? { ...failing, headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r-17' } }
      : sound())
  const { findings } = await checkSource({ client, only: ['getNewTracks'] })
  t.match(findings, [{ rule: 'answer-error', message: /^answered 500 to request r-17: / }])
})

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
  t.match(await thrownBy(checkSource({ client })), {
    name: 'UpstreamError', message: 'http://localhost cannot be reached: ECONNREFUSED'
  })
})

t.test('a token that the source refuses: UnauthorizedError', async t => {
  const app = await buildReference()
  t.teardown(() => app.close())
  t.match(await thrownBy(checkSource({ app, authorization: 'another-token' })), { name: 'UnauthorizedError' })
})

t.test('answers that a browser may keep for their own account: no findings', async t => {
  const inject: InjectFault = async ({ path, headers }, sound) => {
    const given = await sound()
    if (!path.startsWith('/v1')) return given
    const all = { ...given.headers, 'cache-control': 'private, max-age=60', vary: 'Accept, Authorization' }
    if (given.status !== 200) return { ...given, headers: all }
    const etag = `W/"${JSON.stringify(given.body).length}"`
    return headers['if-none-match'] === etag
      ? { status: 304, headers: { ...all, etag }, body: '' }
      : {
          ...given, headers: { ...all, etag }
        }
  }
  t.strictSame((await checkSource({ client: client(await listenFaulty(t, inject)) })).findings, [])
})

t.test('an older origin: what it does not declare and answers with 404 is not offered; old names count', async t => {
  const {
    getNewTracks, getRoamTracks, getTrackUrl, searchSuggest, searchTracks, searchArtists, searchAlbums, searchPlaylists
  } =
    createReferenceAdapter(() => 'https://elsewhere.example')
  const offered = {
    getNewTracks, getRoamTracks, getTrackUrl, searchSuggest, searchTracks, searchArtists, searchAlbums, searchPlaylists
  }
  const app = await build(t, stateless(offered))
  const baseUrl = await listen(t, app)
  const paths = operations.filter(({ adapterMethod }) => !(adapterMethod in offered)).map(({ path }) => path)
  const client = createSourceClient({
    baseUrl,
    authorization: token,
    fetch: async (url, init) => {
      const { pathname, origin } = new URL(String(url))
      if (origin !== baseUrl) {
        return new Response('...', {
          headers: { 'content-type': pathname.startsWith('/audio') ? 'audio/wav' : 'image/png' }
        })
      }
      const isAuthorized = (init!.headers as Record<string, string>).authorization === token
      if (isAuthorized && paths.includes(pathname)) return new Response('Not found', { status: 404 })
      const response = await fetch(url, init)
      if (!isAuthorized || pathname !== '/v1/status' || init!.method === 'HEAD') return response
      const { data: { qualityMap, playlistSortOptions, ...data } } =
        await response.json() as { data: Record<string, unknown> }
      return Response.json({
        code: 200, data: { ...data, capabilities: ['newTracks', 'songUrl', 'streaming', 'search', 'personalFM'] }
      }, {
        headers: { 'content-type': 'application/json; charset=utf-8' }
      })
    }
  })
  const report = await checkSource({ client, write: true })
  t.strictSame(report.findings.map(({ rule, operation }) => `${rule} ${operation}`), [
    'status-list-missing status', 'status-list-missing status', 'capability-aggregated status', 'capability-old status',
    'cache-missing status'
  ])
  const outcomes = outcomesOf(report)
  for (const name of [
    'getPlaylists', 'getTrackDetail', 'getTrackLyrics', 'getPlaylistDetail', 'getArtistAlbums', 'favoriteTrack',
    'userArtists'
  ]) { t.equal(outcomes[name], 'not offered', name) }
  for (const name of ['getRoamTracks', 'searchTracks', 'getTrackUrl']) t.equal(outcomes[name], 'ok', name)
})

t.test('an id of an undeclared operation that answers others is unresolved', async t => {
  const { getPlaylists, getPlaylistDetail } = createReferenceAdapter(() => 'https://elsewhere.example')
  const without = (id: string, ...rest: [number]) => {
    if (id === 'p1') throw new NotFoundError()
    return getPlaylistDetail(id, ...rest)
  }
  const app = await build(t, stateless({ getPlaylists, getPlaylistDetail: without }))
  const report = await checkSource({ app, authorization: token })
  t.match(report.findings.map(({ rule, operation, request }) => [rule, operation, request]), [
    ['id-unresolved', 'getPlaylistDetail', 'GET /v1/playlist/detail?id=p1']
  ])
})

t.test('the signal ends the check with its reason', async t => {
  const app = await buildReference()
  t.teardown(() => app.close())
  const controller = new AbortController()
  const onProgress = () => controller.abort(new Error('No longer wanted'))
  t.match(await thrownBy(checkSource({ app, authorization: token, signal: controller.signal, onProgress })), {
    message: 'No longer wanted'
  })
})

const bad: [string, object][] = [
  ['samples', { samples: 0 }],
  ['concurrency', { concurrency: 0 }],
  ['concurrency', { concurrency: 1.5 }],
  ['keyword', { keyword: ' ' }],
  ['timeout', { timeout: -1 }],
  ['only', { only: ['tracks'] }],
  ['client', { client: {} }],
  ['client', { client: undefined }],
  ['app', { app: {} }]
]
for (const [name, options] of bad) {
  t.test(`${JSON.stringify(options)} is refused by name`, async t => {
    const all = { client: client('http://127.0.0.1:1'), ...options } as CheckOptions
    t.match(await thrownBy(checkSource(all)), {
      name: 'TypeError', code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: `"${name}"`
    })
  })
}

t.test('every rule has a fault that shows it', async t => {
  const shown = new Set<string>(['gave-up', ...faults.map(({ rule }) => rule), ...libraryFaults.map(([rule]) => rule)])
  t.strictSame(Object.keys(rules).filter(rule => !shown.has(rule)), [])
})

t.test('a 304 without an ETag is about the one that was asked for', async t => {
  const baseUrl = await listenFaulty(t, async ({ path, headers, token }, sound) => {
    if (path !== '/v1/track/new' || token !== 'right') return sound()
    if (headers['if-none-match'] === '"one"') return { status: 304, headers: {}, body: '' }
    const given = await sound()
    return { ...given, headers: { ...given.headers, etag: '"one"' } }
  })
  t.strictSame((await checkSource({ client: client(baseUrl), only: ['getNewTracks'] })).findings, [])
})

t.test('an album of an artist may be by somebody else, if the artist plays on it or nobody knows', async t => {
  const sound = createReferenceAdapter(() => 'https://elsewhere.example')
  const guest = { id: 'b8', name: 'Guests', coverUrl: '', artistName: 'Nina' }
  const [track] = (await sound.getArtistDetail('a0', 1)).tracks
  const unknown = { id: 'b9', name: 'Unknown', coverUrl: '' }
  const adapter = {
    getTopArtists: sound.getTopArtists,
    getArtistDetail: sound.getArtistDetail,
    getTrackDetail: sound.getTrackDetail,
    getArtistAlbums: (id: string, offset: number, limit: number) => {
      const items = id === 'a0' ? [guest, unknown] : []
      return { items: items.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < items.length }
    },
    getAlbumDetail: (id: string, limit: number) => {
      if (id !== 'b8') return sound.getAlbumDetail(id, limit)
      return { ...guest, tracks: limit === 0 ? [] : [{ ...track!, id: 't99', album: guest }] }
    }
  }
  const { findings } = await checkSource({ app: await build(t, stateless(adapter)), authorization: token })
  t.strictSame(findings.filter(({ rule }) => rule === 'track-foreign'), [])
})

t.test('the playlist of a stream has a format of its own', async t => {
  const type = 'application/vnd.apple.mpegurl'
  const inject: InjectFault = async (asked, sound) => {
    if (asked.path.startsWith('/audio/')) return { status: 200, headers: { 'content-type': type }, body: '#EXTM3U' }
    return spoilData('getTrackUrl', data => { data.format = 'aac' })(asked, sound)
  }
  t.strictSame((await checkSource({ client: await clientOfFaulty(t, inject), only: ['getTrackUrl'] })).findings, [])
})
