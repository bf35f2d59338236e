import t from 'tap'
import { difference, song, startProxy, startUpstream } from './helper.ts'

const content = song(300_000)
const total = content.length

t.test('the whole song comes with the headers that players need, and with no others', async t => {
  const upstream = await startUpstream(t, content, () => ({
    headers: { 'set-cookie': 'a=b', location: 'http://elsewhere', server: 'x', 'access-control-allow-origin': '*' }
  }))
  const { load } = await startProxy(t, upstream)
  const { status, headers, body } = await load()
  t.equal(status, 200)
  t.equal(difference(body, content), '')
  const maxAge = Number(/^private, max-age=(\d+)$/.exec(headers['cache-control']!)?.[1])
  t.ok(maxAge > 3590 && maxAge <= 3600, `${maxAge} seconds`)
  const { date, connection, 'cache-control': _, 'keep-alive': __, ...rest } = headers
  t.strictSame(rest, {
    'content-type': 'audio/mpeg',
    'content-length': '300000',
    'accept-ranges': 'bytes',
    etag: '"v1"',
    'last-modified': 'Sat, 01 Jan 2000 00:00:00 GMT',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'default-src \'none\'; sandbox'
  })
})

t.test('headers that a location has in a Headers go to the upstream too', async t => {
  const upstream = await startUpstream(t, content)
  const { load } = await startProxy(t, upstream, {
    resolve: () => ({ url: `${upstream.origin}/song`, headers: new Headers({ Cookie: 'session=1' }) as never })
  })
  t.equal((await load()).status, 200)
  t.equal(upstream.requests[0]!.headers.cookie, 'session=1')
})

t.test('the upstream gets nothing of the client but its range and conditions', async t => {
  const upstream = await startUpstream(t, content)
  const { load } = await startProxy(t, upstream, {
    resolve: () => ({
      url: `${upstream.origin}/song?secret=1`,
      headers: { Cookie: 'session=1', Range: 'bytes=5-6', 'Accept-Encoding': 'gzip', Host: 'other' }
    })
  })
  const ofClient = {
    authorization: 'token',
    cookie: 'mine=1',
    referer: 'http://page',
    'x-forwarded-for': '192.0.2.1',
    'accept-encoding': 'gzip',
    'user-agent': 'player'
  }
  await load({
    ...ofClient, 'if-modified-since': 'Fri, 31 Dec 1999 00:00:00 GMT', 'if-none-match': '"other"', 'if-range': '"v1"'
  })
  await load({ ...ofClient, range: 'bytes=0-9', 'if-range': '"v1"', 'if-none-match': '"other"' })
  const common = { host: upstream.host, connection: 'keep-alive', 'accept-encoding': 'identity', cookie: 'session=1' }
  t.strictSame(upstream.requests, [
    {
      method: 'GET',
      url: '/song?secret=1',
      headers: { ...common, 'if-modified-since': 'Fri, 31 Dec 1999 00:00:00 GMT', 'if-none-match': '"other"' }
    },
    { method: 'GET', url: '/song?secret=1', headers: { ...common, range: 'bytes=0-9', 'if-range': '"v1"' } }
  ])
})

const ranges: Record<string, [status: number, start: number, end: number, contentRange?: string]> = {
  'bytes=0-': [206, 0, total, `bytes 0-299999/${total}`],
  'bytes=0-0': [206, 0, 1, `bytes 0-0/${total}`],
  'bytes=100000-200000': [206, 100_000, 200_001, `bytes 100000-200000/${total}`],
  'BYTES=299999-400000': [206, 299_999, total, `bytes 299999-299999/${total}`],
  'bytes=-5': [206, 299_995, total, `bytes 299995-299999/${total}`],
  'bytes=-150000': [206, 150_000, total, `bytes 150000-299999/${total}`],
  'bytes=-400000': [206, 0, total, `bytes 0-299999/${total}`],
  'bytes=300000-': [416, 0, 0, `bytes */${total}`],
  'bytes=0-1,5-9': [200, 0, total],
  'bytes=9-5': [200, 0, total],
  'bytes=-': [200, 0, total],
  'bytes=9999999999999999-': [200, 0, total],
  'items=0-1': [200, 0, total],
  nonsense: [200, 0, total]
}
for (const [chunked, chunk] of [['', undefined], [' in chunks', 64_000]] as const) {
  for (const [range, [status, start, end, contentRange]] of Object.entries(ranges)) {
    t.test(`the range ${range} is answered ${status} with its bytes${chunked}`, async t => {
      const upstream = await startUpstream(t, content)
      const { load } = await startProxy(t, upstream, { chunk })
      const answer = await load({ range })
      t.equal(answer.status, status)
      t.equal(answer.headers['content-range'], contentRange)
      t.equal(answer.headers['content-length'], String(end - start))
      t.equal(difference(answer.body, content.subarray(start, end)), '')
      if (chunk === undefined) return
      for (const { headers } of upstream.requests) {
        const [, first, last] = /^bytes=(\d*)-(\d+)$/.exec(headers.range!)!
        t.ok(first === '' || Number(last) - Number(first) < chunk, String(headers.range))
      }
    })
  }

  t.test(`HEAD tells the length without HEAD at the upstream, whatever range it has${chunked}`, async t => {
    const upstream = await startUpstream(t, content)
    const { load } = await startProxy(t, upstream, { chunk })
    const { status, headers, body } = await load({ range: 'bytes=5-9', 'if-range': '"v0"' }, 'HEAD')
    t.equal(status, 200)
    t.match(headers, {
      'content-length': String(total), 'content-type': 'audio/mpeg', 'accept-ranges': 'bytes', etag: '"v1"'
    })
    t.equal(headers['content-range'], undefined)
    t.equal(body.length, 0)
    t.match(upstream.requests, [{ method: 'GET', headers: { range: 'bytes=0-0' } }])
  })

  t.test(`an empty file is an empty answer${chunked}`, async t => {
    const { load } = await startProxy(t, await startUpstream(t, Buffer.alloc(0)), { chunk })
    for (const method of ['GET', 'HEAD']) {
      t.match(await load({}, method), {
        status: 200, headers: { 'content-length': '0' }, body: { length: 0 }, complete: true
      })
    }
  })

  t.test(`an empty file is an empty answer, whatever type the refusal of a range has${chunked}`, async t => {
    const upstream = await startUpstream(t, Buffer.alloc(0), ({ headers }) =>
      headers.range === undefined ? {} : { headers: { 'content-type': 'text/html' } })
    const { load } = await startProxy(t, upstream, { chunk })
    for (const method of ['GET', 'HEAD']) {
      t.match(await load({}, method), {
        status: 200, headers: { 'content-length': '0', 'content-type': 'audio/mpeg' }, complete: true
      })
    }
  })

  t.test(`an unchanged song is 304 without a body, for GET and HEAD${chunked}`, async t => {
    const { load } = await startProxy(t, await startUpstream(t, content), { chunk })
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await load({ 'if-none-match': '"v1"' }, method)
      t.equal(status, 304)
      t.equal(body.length, 0)
      t.match(headers, { etag: '"v1"', 'cache-control': /^private, max-age=\d+$/, 'last-modified': String })
    }
  })

  t.test(`a range of what has changed is the whole${chunked}`, async t => {
    const { load } = await startProxy(t, await startUpstream(t, content), { chunk })
    const { status, headers, body } = await load({ range: 'bytes=5-9', 'if-range': '"v0"' })
    t.equal(status, 200)
    t.equal(headers['accept-ranges'], 'bytes')
    t.equal(difference(body, content), '')
  })

  t.test(`an upstream without ranges gives the whole${chunked}`, async t => {
    const { load } = await startProxy(t, await startUpstream(t, content, () => ({ ignoreRange: true })), { chunk })
    for (const range of ['bytes=5-9', 'bytes=-100000']) {
      const { status, headers, body } = await load({ range })
      t.equal(status, 200)
      t.equal(headers['accept-ranges'], undefined)
      t.equal(difference(body, content), '')
    }
    t.match(await load({}, 'HEAD'), { status: 200, headers: { 'content-length': String(total) } })
  })
}

t.test('an upstream that sends less than a range is asked for the rest', async t => {
  const upstream = await startUpstream(t, content, () => ({ atMost: 70_000 }))
  const { load } = await startProxy(t, upstream)
  for (const [range, start, end] of [['bytes=1000-199999', 1000, 200_000], ['bytes=1000-', 1000, total]] as const) {
    const { status, headers, body } = await load({ range })
    t.equal(status, 206)
    t.equal(headers['content-range'], `bytes ${start}-${end - 1}/${total}`)
    t.equal(difference(body, content.subarray(start, end)), '')
  }
})

t.test('a song of unknown length comes whole', async t => {
  const { load } = await startProxy(t, await startUpstream(t, content, () => ({ chunked: true, ignoreRange: true })))
  const { status, headers, body, complete } = await load()
  t.equal(status, 200)
  t.ok(complete)
  t.equal(headers['content-length'], undefined)
  t.equal(difference(body, content), '')
  t.match((await load({}, 'HEAD')).headers, { 'content-length': undefined })
})

t.test('a range of unknown length is passed on', async t => {
  const upstream = await startUpstream(t, content, ({ headers }) =>
    ({ headers: { 'content-range': `${headers.range!.replace('=', ' ')}/*` } }))
  const { load } = await startProxy(t, upstream)
  t.match(await load({ range: 'bytes=5-9' }), {
    status: 206, headers: { 'content-range': 'bytes 5-9/*' }, body: content.subarray(5, 10)
  })
  t.match(await load({}, 'HEAD'), { status: 200, headers: { 'content-length': undefined } })
})

const wrong: Record<string, [reason: string, behaviour: object, headers?: Record<string, string>, chunk?: number]> = {
  'a 206 to a request without a range': [
    'The upstream sent another range', { status: 206, headers: { 'content-range': 'bytes 0-12/13' } }
  ],
  'a 206 without Content-Range': ['The upstream sent another range', { status: 206 }, { range: 'bytes=0-5' }],
  'a 206 of another place': [
    'The upstream sent another range', { status: 206, headers: { 'content-range': 'bytes 1-6/13' } },
    { range: 'bytes=0-5' }
  ],
  'a 206 that is longer than the range': [
    'The upstream sent another range', { status: 206, headers: { 'content-range': 'bytes 0-6/13' } },
    { range: 'bytes=0-5' }
  ],
  'a 206 that ends before it begins': [
    'The upstream sent another range', { status: 206, headers: { 'content-range': 'bytes 5-4/13' } },
    { range: 'bytes=5-9' }
  ],
  'a 206 beyond its end': [
    'The upstream sent another range', { status: 206, headers: { 'content-range': 'bytes 0-13/13' } },
    { range: 'bytes=0-' }
  ],
  'a 206 of another end': [
    'The upstream sent another range', { status: 206, headers: { 'content-range': 'bytes 3-12/13' } },
    { range: 'bytes=-5' }
  ],
  'chunks of unknown length': [
    'The upstream does not tell the length of the whole', { status: 206, headers: { 'content-range': 'bytes 0-5/*' } },
    {}, 6
  ],
  'a 304 without a condition': ['The upstream answered 304 without a condition', { status: 304 }],
  'a 304 to a range': [
    'The upstream answered 304 without a condition', { status: 304 }, { range: 'bytes=0-5', 'if-none-match': '"v1"' }
  ],
  'a 416 to a request without a range': ['The upstream answered 416 without a reason', { status: 416 }],
  'a 416 to a chunk of something that is not empty': [
    'The upstream answered 416 without a reason', { status: 416, headers: { 'content-range': 'bytes */13' } }, {}, 6
  ],
  'what was not to be compressed': ['The upstream sent compressed bytes', { headers: { 'content-encoding': 'gzip' } }],
  'a status that nobody knows': ['The upstream answered 299', { status: 299 }]
}
for (const [what, [reason, behaviour, headers, chunk]] of Object.entries(wrong)) {
  t.test(`${what} is 502`, async t => {
    const { load, lines } = await startProxy(t, await startUpstream(t, content, () => behaviour), { chunk })
    const answer = await load(headers)
    t.equal(answer.status, 502)
    t.strictSame(lines.flatMap(({ err }) => err?.message ?? []), [`The upstream failed: ${reason}`])
    t.strictSame(JSON.parse(answer.body.toString()), { code: 502, message: 'The upstream failed', data: null })
    t.match(answer.headers, { 'cache-control': 'no-store', etag: undefined, 'content-range': undefined })
  })
}
