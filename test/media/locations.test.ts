import { NotFoundError, SourceError } from 'fastify-source-origin'
import type { MediaCall, MediaLocation } from 'fastify-source-origin/media'
import t from 'tap'
import { Locations } from '../../lib/media/locations.ts'
import { deferred } from '../helper.ts'
import { difference, load, song, startProxy, startUpstream } from './helper.ts'
import { replace } from '../replace.ts'

const content = song(1000)

t.test('requests for the same media at the same time are one call of resolve', async t => {
  const upstream = await startUpstream(t, content)
  const calls: object[] = []
  const arrived = deferred<void>()
  let requests = 0
  const { url } = await startProxy(t, upstream, {
    async resolve (params) {
      calls.push(params)
      await arrived.promise
      return { url: `${upstream.origin}/song` }
    }
  }, app => app.addHook('onRequest', async () => { if (++requests === 21) arrived.resolve() }))
  const one = url()
  const answers = await Promise.all([load(url({ id: '2' })), ...Array.from({ length: 20 }, () => load(one))])
  for (const { body } of answers) t.equal(difference(body, content), '')
  t.strictSame(new Set(calls), new Set([{ id: '1' }, { id: '2' }]))
  t.equal(calls.length, 2)
})

t.test('a location is kept until a minute before it expires', async t => {
  const upstream = await startUpstream(t, content)
  let now = 1_000_000_000_000
  replace(t, Date, 'now', () => now)
  let calls = 0
  const { load } = await startProxy(t, upstream, {
    resolve () {
      calls++
      return { url: `${upstream.origin}/song`, expiresAt: 1_000_000_120_000 + calls * 1000 }
    }
  })
  for (const [time, expected] of [[0, 1], [60_999, 1], [61_001, 2]]) {
    now = 1_000_000_000_000 + time!
    t.equal((await load()).status, 200)
    t.equal(calls, expected, `${time} ms`)
  }
})

t.test('a location without a time is not kept', async t => {
  const upstream = await startUpstream(t, content)
  let calls = 0
  const { load } = await startProxy(t, upstream, {
    resolve () {
      calls++
      return { url: `${upstream.origin}/song` }
    }
  })
  await load()
  await load()
  t.equal(calls, 2)
})

const never = new AbortController().signal
const log: any = {}

t.test('what another request has resolved anew is used', async t => {
  const calls: boolean[] = []
  const resolve = (_params: object, { isRetry }: MediaCall): MediaLocation =>
    ({ url: `https://a/${calls.push(isRetry)}`, expiresAt: Date.now() + 3_600_000 })
  const locations = new Locations({ resolve, hosts: ['a'] }, 1000)
  const call = { signal: never, log }
  const first = await locations.locate({}, call)
  const refused = { location: first, status: 403 }
  const anew = await locations.locate({}, { ...call, refused })
  t.equal(anew.url, 'https://a/2')
  t.equal(await locations.locate({}, { ...call, refused }), anew)
  t.strictSame(calls, [false, true])
})

t.test('a call that began before a refusal does not stand for the one after it', async t => {
  const gate = deferred<void>()
  const resolve = async (_params: object, { isRetry }: MediaCall) => {
    if (!isRetry) await gate.promise
    return { url: `https://a/${isRetry}` }
  }
  const locations = new Locations({ resolve, hosts: ['a'] }, 1000)
  const before = locations.locate({}, { signal: never, log })
  const [one, other] = await Promise.all([0, 1].map(() =>
    locations.locate({}, { signal: never, log, refused: { location: { url: 'https://a/0' }, status: 403 } })))
  t.equal(one!.url, 'https://a/true')
  t.equal(other, one)
  gate.resolve()
  t.equal((await before).url, 'https://a/false')
})

t.test('no more than ten thousand locations are kept, the youngest', async t => {
  let calls = 0
  const locations = new Locations({
    resolve () {
      calls++
      return { url: 'https://a', expiresAt: Date.now() + 3_600_000 }
    },
    hosts: ['a']
  }, 1000)
  const locate = (id: number) => locations.locate({ id: String(id) }, { signal: never, log })
  for (let id = 0; id <= 10_000; id++) await locate(id)
  await locate(10_000)
  await locate(1)
  t.equal(calls, 10_001)
  await locate(0)
  t.equal(calls, 10_002)
})

t.test('what is thrown and is no Error is told in the log by its type only', async t => {
  const thrown: unknown = 'SECRET'
  const { load, lines } = await startProxy(t, await startUpstream(t, content), { resolve: () => { throw thrown } })
  await load()
  t.strictSame(lines.flatMap(({ err }) => err?.message ?? []), ['resolve threw a value of type string'])
})

const errors: Record<string, [thrown: unknown, status: number, body: object, headers?: object]> = {
  'that the media is gone': [
    new NotFoundError('Song not found'), 404, { code: 404, message: 'Song not found' }
  ],
  'with a code and a time': [
    new SourceError(429, 'Slowly', { code: 7, retryAfterSeconds: 2.5 }), 429, { code: 7, message: 'Slowly' },
    { 'retry-after': '3' }
  ],
  'with a time that is none': [
    new SourceError(503, 'Later', { retryAfterSeconds: NaN }), 503, { code: 503, message: 'Later' },
    { 'retry-after': undefined }
  ],
  'of an HTTP library': [
    Object.assign(new Error('https://cdn.example/?secret=1 answered 503'), { statusCode: 503 }), 503,
    { code: 503, message: 'Service Unavailable' }
  ],
  'with a status that has no name': [
    Object.assign(new Error('secret'), { status: 599 }), 599, { code: 599, message: 'Error' }
  ],
  'that is no Error': ['text', 500, { code: 500, message: 'Internal server error' }],
  'that is nothing at all': [undefined, 500, { code: 500, message: 'Internal server error' }],
  'that nobody foresaw': [
    new Error('no secret=1 at https://cdn.example/?secret=2', { cause: new Error('https://b/#secret') }), 500,
    { code: 500, message: 'Internal server error' }
  ]
}
for (const [what, [thrown, status, body, headers = {}]] of Object.entries(errors)) {
  t.test(`an error of resolve ${what} is ${status}`, async t => {
    const upstream = await startUpstream(t, content)
    const { load, lines } = await startProxy(t, upstream, { resolve: async () => { throw thrown } })
    const answer = await load()
    t.equal(answer.status, status)
    t.strictSame(JSON.parse(answer.body.toString()), { ...body, data: null })
    t.match(answer.headers, headers)
    t.notMatch(JSON.stringify(lines), /secret=2|#secret|\?secret/)
    t.equal(lines.some(({ err }) => err), status >= 500)
  })
}

t.test('causes that go round are logged all the same', async t => {
  const error = new Error('round')
  error.cause = error
  const { load, lines } = await startProxy(t, await startUpstream(t, content), { resolve: () => { throw error } })
  t.equal((await load()).status, 500)
  t.match(lines.find(({ err }) => err)!.err.message, 'round: round')
})

for (const value of [undefined, null, 'https://a', {}, { url: 1 }]) {
  t.test(`a location that is ${JSON.stringify(value)} is 500 and told in the log`, async t => {
    const { load, lines } = await startProxy(t, await startUpstream(t, content), { resolve: () => value as any })
    t.equal((await load()).status, 500)
    t.match(lines.find(({ err }) => err)!.err.message, 'resolve must give an object with a url')
  })
}

t.test('the signal of a call that has ended is not aborted', async t => {
  const upstream = await startUpstream(t, content)
  const calls: MediaCall[] = []
  const { load } = await startProxy(t, upstream, {
    resolve (_params, call) {
      calls.push(call)
      return { url: `${upstream.origin}/song` }
    }
  })
  t.equal((await load()).status, 200)
  t.strictSame(calls.map(({ signal }) => signal.aborted), [false])
})

t.test('a resolve that never ends is 504, and its signal tells it', async t => {
  let call: MediaCall | undefined
  const { load } = await startProxy(t, await startUpstream(t, content), {
    timeout: 20,
    resolve (_params, given) {
      call = given
      return new Promise(() => {})
    }
  })
  t.equal((await load()).status, 504)
  t.ok(call!.signal.aborted)
})
