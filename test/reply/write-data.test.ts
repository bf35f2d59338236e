import t, { type Test } from 'tap'
import { operations } from 'fastify-source-origin'
import { authorized, build, buildOnce, callOf, contextOf, dataOf, logged } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'

/** Answers data of an adapter and tells what came of it. */
async function answer (
  t: Test, data: unknown, { operation = operationOf('getTrackDetail'), validateResponses = false, times = 1 } = {}
) {
  const { lines, logger } = logged()
  const app = await build(
    t, { resolveContext: contextOf({ [operation.adapterMethod]: async () => data }), validateResponses }, { logger }
  )
  let response = await app.inject(callOf(operation))
  for (let n = 1; n < times; n++) response = await app.inject(callOf(operation))
  return {
    status: response.statusCode,
    body: response.json(),
    warnings: lines.filter(({ level }) => level === 40).map(({ reason }) => reason),
    errors: lines.filter(({ level }) => level === 50).map(({ err }) => err.message)
  }
}

const track = (more: object = {}) => ({ ...dataOf('getTrackDetail'), ...more })

for (const repeats of [1, 100_000]) {
  t.test(`the length of an answer is that of its bytes, with a title of ${repeats} signs`, async t => {
    const title = '雪'.repeat(repeats)
    const app = await build(t, { adapter: { getTrackDetail: async () => track({ title }) } })
    const url = await app.listen()
    const { url: path } = callOf(operationOf('getTrackDetail'))
    const [got, head] = await Promise.all(['GET', 'HEAD'].map(async method =>
      fetch(`${url}${path}`, { method, headers: authorized })))
    const body = await got!.text()
    t.equal(JSON.parse(body).data.title, title)
    t.equal(got!.headers.get('content-type'), 'application/json; charset=utf-8')
    t.equal(got!.headers.get('content-length'), String(Buffer.byteLength(body)))
    t.equal(head!.headers.get('content-length'), got!.headers.get('content-length'))
  })
}

t.test('an answer is the same before and after a long one, which is sent as a Buffer', async t => {
  const titles = ['short', '雪'.repeat(50_000), 'short']
  const data = titles.map(title => track({ title }))
  const app = await build(t, { adapter: { getTrackDetail: async () => data.shift() } })
  for (const title of titles) {
    t.same((await app.inject(callOf(operationOf('getTrackDetail')))).json(), { code: 200, data: track({ title }) })
  }
})

const development = await buildOnce(t, { validateResponses: true })
const production = await buildOnce(t, { validateResponses: false })

for (const operation of operations) {
  const { adapterMethod } = operation

  t.test(`${adapterMethod}: in development an unknown member is a 500 that names schema and path`, async t => {
    const data = dataOf(adapterMethod)
    const target = Array.isArray(data) ? data[0] : data
    target.foreign = 'raw'
    const response = await development({ [adapterMethod]: () => data }).inject(callOf(operation))
    t.equal(response.statusCode, 500)
    t.match(response.json().message, /^Adapter response of \w+ does not match [A-Z]\w+(\[\])?: (\/0)?\/foreign Unexpected property( \(id ".+"\))?$/)
  })

  t.test(`${adapterMethod}: in production an unknown member is dropped`, async t => {
    const data = dataOf(adapterMethod)
    const target = Array.isArray(data) ? data[0] : data
    target.foreign = 'raw'
    const response = await production({ [adapterMethod]: () => data }).inject(callOf(operation))
    t.equal(response.statusCode, 200)
    t.same(response.json().data, dataOf(adapterMethod))
  })
}

t.test('in development the path leads into the value', async t => {
  const data = track({ artists: [{ id: '1', name: 7 }] })
  t.equal(
    (await answer(t, data, { validateResponses: true })).body.message,
    'Adapter response of getTrackDetail does not match Track: /artists/0/name Expected string, got 7 (id "1")'
  )
})

t.test('in development the value itself is /', async t => {
  t.equal(
    (await answer(t, [], { validateResponses: true })).body.message,
    'Adapter response of getTrackDetail does not match Track: / Expected object, got array'
  )
})

t.test('in production a refused mutation is never reported as done', async t => {
  const operation = operationOf('favoriteTrack')
  t.strictSame((await answer(t, { success: 'false', status: false }, { operation })).body.data, {
    success: false, status: false
  })
  t.equal((await answer(t, { success: 'no', status: false }, { operation })).status, 500)
})

t.test('in production nothing of a raw object gets out, however deep', async t => {
  const raw = { cookie: 'SECRET' }
  const { body } =
    await answer(t, track({ raw, album: { ...track().album, raw }, artists: [{ id: '1', name: 'a', raw }] }))
  t.notMatch(JSON.stringify(body), 'SECRET')
})

t.test('in production what broke the contract is logged once for each path, whatever the index', async t => {
  const artist = { id: '1', name: 'a' }
  const { warnings } = await answer(t, track({ artists: [artist, { ...artist, raw: 1 }] }), { times: 3 })
  t.strictSame(warnings, ['Track /artists/1/raw Unexpected property (id "1")'])
})

t.test('in production a value that lacks defaults gets them', async t => {
  const { qualities, ...rest } = track()
  t.strictSame((await answer(t, rest)).body.data.qualities, [])
})

for (const validateResponses of [true, false]) {
  t.test(`an instance whose class has getters is written as the schema says (validateResponses: ${validateResponses})`, async t => {
    const plain = track()
    const instance = Object.create(Object.create(Object.prototype, Object.fromEntries(
      [...Object.keys(plain), 'foreign'].map(name => [name, { get: () => plain[name] ?? 'SECRET' }])
    )))
    const { status, body } = await answer(t, instance, { validateResponses })
    t.equal(status, 200)
    t.same(body.data, plain)
  })

  t.test(`members that are inherited count (validateResponses: ${validateResponses})`, async t => {
    const { status, body } = await answer(t, Object.create(track()), { validateResponses })
    t.equal(status, 200)
    t.same(body.data, track())
  })

  t.test(`what toJSON gives is what counts (validateResponses: ${validateResponses})`, async t => {
    class Raw {
      readonly given: object; constructor (given: object) { this.given = given } toJSON () {
        return this.given
      }
    }
    t.same((await answer(t, new Raw(track()), { validateResponses })).body.data, track())
    const { status, body } = await answer(t, new Raw(track({ durationMs: -1 })), { validateResponses })
    t.equal(status, validateResponses ? 500 : 200)
    t.equal(body.data?.durationMs, validateResponses ? undefined : 0)
  })
}

/** A getter that throws: what has it cannot be read. */
const unreadable = Object.defineProperty({}, 'id', { enumerable: true, get () { throw new Error('SECRET') } })

for (const [method, changes, message] of [
  ['getTrackDetail', { title: undefined }, 'Track: /title Expected required property'],
  ['getTrackDetail', { title: null }, 'Track: /title Expected string, got null'],
  ['getTrackDetail', { artists: {} }, 'Track: /artists Expected array, got object'],
  ['getTrackDetail', { artists: [null] }, 'Track: /artists/0 Expected object, got null'],
  ['getTrackDetail', { artists: [unreadable] }, 'Track: /artists/0 Expected a value that can be read'],
  ['getTrackDetail', { album: [] }, 'Track: /album Expected object, got array'],
  ['getTrackDetail', { fee: 1 }, 'Track: /fee Expected boolean, got 1'],
  ['getTrackDetail', { durationMs: '1' }, 'Track: /durationMs Expected number, got string'],
  ['getTrackDetail', { durationMs: '-1' }, 'Track: /durationMs Expected number, got string'],
  ['getTrackDetail', { durationMs: NaN }, 'Track: /durationMs Expected number, got NaN'],
  ['getTrackDetail', { durationMs: -1 }, 'Track: /durationMs Expected number to be greater or equal to 0, got -1'],
  ['getTrackDetail', { duration: 1 }, 'Track: /duration Unexpected property: did you mean "durationMs"?'],
  ['getTrackDetail', { favourite: true }, 'Track: /favourite Unexpected property: did you mean "favorite"?'],
  ['getTrackDetail', { title: Proxy.revocable({}, {}).proxy }, 'Track: /title Expected string, got object'],
  ['getTrackDetail', { title: () => 'x' }, 'Track: /title Expected string, got function'],
  ['getTrackDetail', { ['x'.repeat(200)]: 1 }, `Track: /${'x'.repeat(100)} Unexpected property`],
  ['getTrackDetail', { aliases: null }, 'Track: /aliases Expected array, got null: leave it out instead'],
  ['getTrackDetail', { qualities: null }, 'Track: /qualities Expected array, got null: leave it out instead'],
  ['getNewTracks', [{ ...track(), album: { ...track().album, genre: null } }],
    `Track[]: /0/album/genre Expected string, got null: leave it out instead (id "${track().id}")`],
  ['getTrackUrl', { url: '' }, 'TrackUrl: /url Expected string that is not empty, got string'],
  ['getTrackUrl', { url: 7 }, 'TrackUrl: /url Expected string, got 7'],
  ['getTrackUrl', { quality: [] }, 'TrackUrl: /quality Expected string, got array'],
  ['getTrackUrl', { bitrate: 0.5 }, 'TrackUrl: /bitrate Expected integer, got 0.5'],
  ['getTrackUrl', { bitrate: -1 }, 'TrackUrl: /bitrate Expected integer to be greater or equal to 0, got -1'],
  ['createPlaylist', { createdAt: Infinity }, 'Playlist: /createdAt Expected number, got Infinity']
] as const) {
  t.test(`in development ${method} is refused: ${message.slice(0, 80)}`, async t => {
    const data = Array.isArray(changes) ? changes : { ...dataOf(method), ...changes }
    const response = await development({ [method]: () => data }).inject(callOf(operationOf(method)))
    t.equal(response.json().message, `Adapter response of ${method} does not match ${message}`)
  })
}

for (const [what, give, words] of [
  ['a Set', () => new Set(), 'a Set: make an array of it, as [...it]'],
  ['a Map', () => new Map(), 'a Map: make an array of it, as [...it]'],
  ['a generator', function * () {}, 'a generator: make an array of it, as [...it]'],
  ['a Response', () => new Response('[]'), 'a Response: give what its json() gives'],
  ['a list in an object', () => ({ data: [] }), 'an object with "data": give what is in it'],
  ['another object', () => ({ data: 1 }), 'object']
] as const) {
  t.test(`in development ${what} instead of a list is named`, async t => {
    const app = await build(t, { adapter: { getNewTracks: give as never } })
    const { message } = (await app.inject(callOf(operationOf('getNewTracks')))).json()
    t.equal(message, `Adapter response of getNewTracks does not match Track[]: / Expected array, got ${words}`)
  })
}

t.test('in development a bigint and a Date are named', async t => {
  const album = { ...track().album, publishTime: new Date() }
  const app = await build(t, { adapter: { getTrackDetail: () => ({ ...track(), album, durationMs: 7n }) } as never })
  t.match((await app.inject(callOf(operationOf('getTrackDetail')))).json().message,
    /publishTime Expected number, got a Date: give its getTime.*got bigint: convert it/)
})

t.test('in development zero, an empty text or list and an undefined member are no violations if allowed', async t => {
  const data = track({ title: '', durationMs: 0, fee: undefined, mvId: null, aliases: [], foreign: undefined })
  t.equal((await answer(t, data, { validateResponses: true })).status, 200)
  class Instance { constructor () { Object.assign(this, data) } }
  t.equal((await answer(t, new Instance(), { validateResponses: true })).status, 200)
})

t.test('in development every violation is in the log, ten at most, and the first three in the answer', async t => {
  const { lines, logger } = logged()
  const artists = Array.from({ length: 20 }, () => ({ id: 1, name: 'a' }))
  const app = await build(
    t, { adapter: { getTrackDetail: () => track({ title: 7, artists }) }, validateResponses: true }, { logger }
  )
  const response = await app.inject(callOf(operationOf('getTrackDetail')))
  const { message } = response.json()
  t.equal(message, 'Adapter response of getTrackDetail does not match Track: /title Expected string, got 7; ' +
      '/artists/0/id Expected string, got 1; /artists/1/id Expected string, got 1')
  const { violations } = lines.find(({ level }) => level === 50)!
  t.equal(violations.length, 10)
  t.strictSame(violations.slice(0, 2), ['/title Expected string, got 7', '/artists/0/id Expected string, got 1'])
})

t.test('in development the error for null and undefined says what to do', async t => {
  for (const nothing of [null, undefined]) {
    t.equal((await answer(t, nothing, { validateResponses: true })).body.message,
      'Adapter response of getTrackDetail does not match Track: ' +
      `/ Expected object, got ${nothing}: throw NotFoundError where there is no such item`)
    const list = { operation: operationOf('getNewTracks'), validateResponses: true }
    t.match((await answer(t, nothing, list)).body.message, /Expected array, got .*: give \[\] where there is nothing$/)
  }
})
