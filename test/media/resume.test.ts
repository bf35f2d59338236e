import { NotFoundError, RateLimitedError, UpstreamError } from 'fastify-source-origin'
import type { MediaCall, MediaKind } from 'fastify-source-origin/media'
import t, { type Test } from 'tap'
import { fakeTime } from '../fake-time.ts'
import { difference, song, startProxy, startUpstream, type Behaviour, type Upstream } from './helper.ts'

const content = song(400_000)
const timeout = 50

/** A `resolve` that gives a new URL for each call and records how it was called. */
function resolver (origin: string, expiresAt?: number) {
  const calls: boolean[] = []
  const statuses: (number | undefined)[] = []
  const resolve = (_params: object, { isRetry, status }: MediaCall) => {
    statuses.push(status)
    return { url: `${origin}/song?n=${calls.push(isRetry)}`, expiresAt }
  }
  return { calls, statuses, resolve }
}

/** Loads the song from a proxy without pauses. */
async function loadFrom (t: Test, upstream: Upstream, kind?: Partial<MediaKind>, headers?: Record<string, string>) {
  const { load } = await startProxy(t, upstream, kind)
  const time = fakeTime(t)
  const answer = load(headers)
  await time.passUntil(answer)
  return answer
}

/** Asserts that the song comes whole, whatever the upstream does. */
async function whole (
  t: Test, behave: (nth: number, url: string, range: string | undefined) => Behaviour, chunk?: number
) {
  const upstream = await startUpstream(t, content, ({ url, headers }, nth) => behave(nth, url!, headers.range))
  const { calls, statuses, resolve } = resolver(upstream.origin)
  const { status, body, complete } = await loadFrom(t, upstream, { resolve, chunk, timeout })
  t.equal(status, 200)
  t.equal(difference(body, content), '')
  t.ok(complete)
  return { calls, statuses, requests: upstream.requests }
}

for (const at of [1, 2, 1000, 16_383, 16_384, 65_536, 131_071, 399_998, 399_999]) {
  t.test(`a connection that breaks after ${at} bytes each time is continued there`, async t => {
    const least = Math.max(at, 50_000)
    const { requests } = await whole(t, nth => ({ cutAfter: nth === 1 ? at : least }))
    t.match(requests[1]!.headers, { range: `bytes=${at}-399999`, 'if-range': '"v1"' })
  })
}

t.test('chunks that break are continued where they broke', async t => {
  const { requests } = await whole(t, () => ({ cutAfter: 30_000 }), 64_000)
  t.match(requests.slice(0, 2), [{ headers: { range: 'bytes=0-63999' } }, { headers: { range: 'bytes=30000-93999' } }])
})

t.test('a song of a known length that comes without it in the rest is continued', t =>
  whole(t, nth => ({ cutAfter: 200_000, chunked: nth > 1 })))

t.test('a song without a length is continued if a strong ETag proves that it is the same', t =>
  whole(t, nth => nth === 1 ? { cutAfter: 200_000, chunked: true, ignoreRange: true } : {}))

t.test('a song whose length nobody ever tells is continued to its end', t =>
  whole(t, nth => nth === 1
    ? { cutAfter: 200_000, chunked: true, ignoreRange: true }
    : {
        chunked: true, headers: { 'content-range': 'bytes 200000-399999/*' }
      }))

t.test('a song without an ETag is continued if the length is the same', async t => {
  const { requests } = await whole(t, () => ({ cutAfter: 200_000, without: 'etag' }))
  t.equal(requests[1]!.headers['if-range'], undefined)
})

t.test('a song with a weak ETag is continued without it', async t => {
  const { requests } = await whole(t, () => ({ cutAfter: 200_000, etag: 'W/"v1"' }))
  t.equal(requests[1]!.headers['if-range'], undefined)
})

t.test('an upstream that stalls is left and asked for the rest', t =>
  whole(t, nth => nth === 1 ? { hangAfter: 100_000, hangFor: timeout } : {}))

t.test('a URL that expires in the middle is resolved anew', async t => {
  // The first URL breaks in the middle and is refused from then on, as is the second.
  const { calls } = await whole(t, (nth, url) =>
    nth === 1 ? { cutAfter: 150_000 } : url.endsWith('n=2') ? { status: 403 } : {})
  t.strictSame(calls, [false, false, true])
})

for (const status of [401, 403, 404, 410]) {
  t.test(`a URL that is refused with ${status} at once is resolved anew, with that status`, async t => {
    const { calls, statuses } = await whole(t, (_nth, url) => url.endsWith('n=1') ? { status } : {})
    t.strictSame(calls, [false, true])
    t.strictSame(statuses, [undefined, status])
  })
}

t.test('a URL that expires between two chunks is resolved anew', async t => {
  const { calls } = await whole(
    t, (_nth, url, range) => url.endsWith('n=1') && range !== 'bytes=0-99999' ? { status: 403 } : {}, 100_000
  )
  t.strictSame(calls, [false, true])
})

t.test('chunks use one resolution', async t => {
  const { calls, requests } = await whole(t, () => ({}), 100_000)
  t.equal(requests.length, 4)
  t.strictSame(calls, [false])
})

t.test('a connection that breaks does not cost a kept URL, a second break without a byte does', async t => {
  const upstream = await startUpstream(t, content, (_request, nth) =>
    nth === 1 ? { cutAfter: 1000 } : nth < 4 ? { cutAfter: 0 } : {})
  const { calls, resolve } = resolver(upstream.origin, Date.now() + 3_600_000)
  const { body } = await loadFrom(t, upstream, { resolve, timeout })
  t.equal(body.length, 1000, 'the third failure is the last')
  t.strictSame(calls, [false, true])
  t.strictSame(upstream.requests.map(({ url }) => url), ['/song?n=1', '/song?n=1', '/song?n=2'])
})

const other: Record<string, (nth: number) => Behaviour> = {
  'another ETag': nth => nth === 1 ? {} : { etag: '"v2"' },
  'another ETag, in spite of If-Range': nth => nth === 1 ? {} : { headers: { etag: '"v2"' } },
  'an ETag that is gone': nth => nth === 1 ? {} : { without: 'etag' },
  'another length': nth => ({ without: 'etag', ...(nth > 1 && { content: song(400_001) }) }),
  'another place': nth => nth === 1 ? {} : { headers: { 'content-range': 'bytes 0-199999/400000' } },
  'no range': nth => nth === 1 ? {} : { ignoreRange: true },
  'no length and no strong ETag to compare': nth =>
    ({ chunked: true, etag: 'W/"v1"', ...(nth === 1 && { ignoreRange: true }) }),
  'a refusal for now': nth => nth === 1 ? {} : { status: 429 },
  'an end, since it is shorter': nth => nth === 1 ? {} : { content: song(100_000), headers: { etag: '"v1"' } }
}
for (const [what, behave] of Object.entries(other)) {
  t.test(`${what} in the middle breaks the connection to the client`, async t => {
    const upstream = await startUpstream(t, content, (_request, nth) => ({ cutAfter: 200_000, ...behave(nth) }))
    const { status, body, complete } = await loadFrom(t, upstream)
    t.equal(status, 200)
    t.notOk(complete)
    t.equal(difference(body, content.subarray(0, 200_000)), '')
    t.equal(upstream.requests.length, 2)
  })
}

t.test('more bytes than were announced never reach the client', async t => {
  const upstream = await startUpstream(t, content, ({ headers }) =>
    headers.range === 'bytes=0-4'
      ? { chunked: true, status: 206, headers: { 'content-range': 'bytes 0-4/400000' } }
      : {})
  const { load } = await startProxy(t, upstream)
  t.match(await load({ range: 'bytes=0-4' }), {
    status: 502, headers: { 'content-range': undefined, etag: undefined }, complete: true
  })
})

t.test('fewer bytes than were announced are asked for again', async t => {
  const upstream = await startUpstream(t, content, (_request, nth) => nth === 1
    ? { chunked: true, content: content.subarray(0, 5), headers: { 'content-range': 'bytes 0-9/400000' } }
    : {})
  const { status, body } = await loadFrom(t, upstream, {}, { range: 'bytes=0-9' })
  t.equal(status, 206)
  t.equal(difference(body, content.subarray(0, 10)), '')
})

t.test('an upstream that promises bytes and sends none is given up', async t => {
  const upstream = await startUpstream(t, content, () => ({ chunked: true, body: Buffer.alloc(0) }))
  t.equal((await loadFrom(t, upstream, {}, { range: 'bytes=0-9' })).status, 502)
  t.equal(upstream.requests.length, 3)
})

const failures: Record<string, [behaviour: Behaviour, status: number, requests: number, more?: object]> = {
  'a URL that is refused with 401': [{ status: 401 }, 502, 3],
  'a URL that is refused with 403': [{ status: 403 }, 502, 3],
  'a song that is gone': [{ status: 404 }, 404, 3],
  'a song that is gone for good': [{ status: 410 }, 404, 3],
  'a server error': [{ status: 503 }, 502, 3],
  'an upstream that is late itself': [{ status: 504 }, 504, 3],
  'a song that has to be paid for': [{ status: 402 }, 422, 1],
  'a song that is not for this region': [{ status: 451 }, 422, 1],
  'a request that is wrong': [{ status: 400 }, 502, 1],
  'a connection that breaks': [{ cutAfter: 0 }, 502, 3],
  'a body that breaks before its first byte': [{ cutAfter: 0.5 }, 502, 3],
  'an upstream that does not answer': [{ hangAfter: 0, hangFor: timeout }, 504, 3],
  'an upstream that only announces its answer': [{ onlyHints: true }, 504, 1],
  'an upstream that limits us': [{ status: 429 }, 429, 1, { 'retry-after': undefined }],
  'an upstream that limits us for a time': [
    { status: 429, headers: { 'retry-after': '7' } }, 429, 1, { 'retry-after': '7' }
  ],
  'an upstream that limits us for a time with a fraction': [
    { status: 429, headers: { 'retry-after': '49.5' } }, 429, 1, { 'retry-after': '50' }
  ],
  'an upstream that limits us for ever': [
    { status: 429, headers: { 'retry-after': '9999999999' } }, 429, 1, { 'retry-after': '86400' }
  ],
  'an upstream that limits us until a date that is over': [
    { status: 429, headers: { 'retry-after': 'Sat, 01 Jan 2000 00:00:00 GMT' } }, 429, 1, { 'retry-after': '0' }
  ]
}
for (const [what, [behaviour, status, requests, headers = {}]] of Object.entries(failures)) {
  t.test(`${what} before the first byte is ${status}`, async t => {
    const upstream = await startUpstream(t, content, () => behaviour)
    const answer = await loadFrom(t, upstream, { timeout })
    t.equal(answer.status, status)
    t.match(JSON.parse(answer.body.toString()), { code: status, data: null })
    t.match(answer.headers, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      etag: undefined,
      'accept-ranges': undefined,
      ...headers
    })
    t.equal(upstream.requests.length, requests)
  })
}

t.test('a song whose upstream is away for 2.5 s goes on: the location is tried again too', async t => {
  let begun: number | undefined
  let calls = 0
  // The number of attempts has a limit.
  const isAway = () => performance.now() - begun! < 2500 && calls < 100
  const upstream = await startUpstream(t, content, (_request, nth) => {
    begun ??= performance.now()
    return nth === 1 ? { cutAfter: 10_000 } : isAway() ? { cutAfter: 0 } : {}
  })
  const resolve = () => {
    if (++calls > 1 && isAway()) throw new UpstreamError()
    return { url: `${upstream.origin}/song` }
  }
  const { body, complete } = await loadFrom(t, upstream, { resolve })
  t.equal(difference(body, content), '')
  t.ok(complete)
  t.equal(calls, 7, 'with half a second between them')
})

t.test('a location that is refused in the middle ends the song, and so does one that is gone', async t => {
  for (const error of [new NotFoundError(), new Error('a bug')]) {
    const upstream = await startUpstream(t, content, (_request, nth) => nth === 1 ? { cutAfter: 10_000 } : {})
    let calls = 0
    const resolve = () => {
      if (++calls > 1) throw error
      return { url: `${upstream.origin}/song` }
    }
    const { load } = await startProxy(t, upstream, { resolve })
    t.notOk((await load()).complete)
    t.equal(calls, 2)
  }
})

t.test('a song goes on when the limit of the upstream for its location is over', async t => {
  const upstream = await startUpstream(t, content, (_request, nth) => nth === 1 ? { cutAfter: 10_000 } : {})
  let calls = 0
  const resolve = () => {
    if (++calls === 2) throw new RateLimitedError()
    return { url: `${upstream.origin}/song` }
  }
  t.equal(difference((await loadFrom(t, upstream, { resolve })).body, content), '')
})

t.test('three failures in a row end it when no byte came for the time limit, a byte in between does not', async t => {
  const upstream = await startUpstream(t, content, (_request, nth) =>
    nth > 4 && nth < 8 ? { status: 503 } : { cutAfter: 10_000 })
  const { body, complete } = await loadFrom(t, upstream, { timeout })
  t.equal(difference(body, content.subarray(0, 40_000)), '')
  t.notOk(complete)
  // The break after the last bytes is the first failure.
  t.equal(upstream.requests.length, 6)
})
