import t from 'tap'
import { gunzipSync } from 'node:zlib'
import { start, token } from '../example/helper.ts'

/** The demo, which no test here changes. */
const { call, data } = await start(t)

const zipped = { authorization: token, 'accept-encoding': 'br, gzip' }
const list = '/v1/search/tracks?keyword=o&limit=100'

t.test('a long answer of /v1 and /rest is compressed for who takes that, with a weak tag', async t => {
  const rest = `/rest/search3?u=me&p=${encodeURIComponent(token)}&c=test&v=1.16.1&query=o`
  for (const url of [list, `${rest}&f=json`, `${rest}&f=xml`]) {
    const plain = await call(url)
    t.equal(plain.headers['content-encoding'], undefined)
    const short = await call(url, { headers: zipped })
    t.equal(short.statusCode, 200)
    t.equal(short.headers['content-encoding'], 'gzip', url)
    t.match(short.headers.vary, /accept-encoding/i)
    t.equal(Number(short.headers['content-length']), short.rawPayload.length)
    t.equal(gunzipSync(short.rawPayload).toString(), plain.body)
    t.ok(short.rawPayload.length < plain.rawPayload.length / 3)
  }
  const { headers: { etag } } = await call(list)
  const { headers } = await call(list, { headers: zipped })
  t.equal(headers.etag, `W/${etag}`)
  for (const tag of [etag!, headers.etag!]) {
    t.equal((await call(list, { headers: { ...zipped, 'if-none-match': tag } })).statusCode, 304)
  }
})

t.test('a HEAD answer has the headers of an answer that is not compressed, and short answers are not', async t => {
  const plain = await call(list)
  const head = await call(list, { method: 'HEAD', headers: zipped })
  t.equal(head.statusCode, 200)
  t.equal(head.headers['content-encoding'], undefined)
  t.equal(head.headers.etag, plain.headers.etag)
  t.equal(Number(head.headers['content-length']), plain.rawPayload.length)
  t.equal((await call('/status', { headers: zipped })).headers['content-encoding'], undefined)
})

t.test('audio, parts of it and covers are sent as they are', async t => {
  const { items: [track] } = await data('/v1/search/tracks?keyword=prelude')
  const { url } = await data(`/v1/track/url?id=${encodeURIComponent(track.id)}`)
  for (const address of [url, track.album.coverUrl]) {
    const { pathname, search } = new URL(address)
    const plain = await call(pathname + search)
    const same = await call(pathname + search, { headers: { 'accept-encoding': 'gzip' } })
    t.equal(same.headers['content-encoding'], undefined)
    t.strictSame(same.rawPayload, plain.rawPayload)
    t.equal(same.headers['content-length'], plain.headers['content-length'])
    t.equal(same.headers.etag, plain.headers.etag)
  }
  const { pathname, search } = new URL(url)
  const part = await call(pathname + search, { headers: { 'accept-encoding': 'gzip', range: 'bytes=10-109' } })
  t.equal(part.statusCode, 206)
  t.equal(part.headers['content-encoding'], undefined)
  t.equal(part.rawPayload.length, 100)
})
