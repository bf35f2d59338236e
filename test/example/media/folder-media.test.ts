import fastify, { type FastifyReply } from 'fastify'
import { audioTypeOf, createSigner, transcodedUrl, type Transcoding } from 'fastify-source-origin/media'
import { once } from 'node:events'
import { readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { Agent, get, request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { MusicFolder } from '../../../example/index/music-folder.ts'
import { audioPath, mediaRoutes } from '../../../example/media/folder-media.ts'
import { audioTypes } from '../../../example/scan/audio-types.ts'
import { demo, fifo, folder, mp3, pathOf, start, startWith, token, wav, type Source } from '../helper.ts'
import { aacFrames } from '../make-audio.ts'
import { replace } from '../../replace.ts'

/** The URL of the only track that a search finds, for `inject`. */
async function urlOf ({ data }: Source, keyword = 'prelude', quality = ''): Promise<string> {
  const [track] = (await data(`/v1/search/tracks?keyword=${keyword}`)).items
  return pathOf((await data(`/v1/track/url?id=${track.id}&quality=${quality}`)).url)
}

/** The demo, which no test here changes, over a socket. */
const source = await start(t)
const origin = await source.app.listen({ port: 0, host: '127.0.0.1' })
const url = origin + await urlOf(source, 'prelude', 'lossless')
const stateless = await start(t, { STATELESS: 'true' })
const large = (title: string) => Buffer.concat([mp3({ title, artist: 'One' }), Buffer.alloc(30_000_000)])
const anyNames = ['100%25.wav', 'a?b#c.wav', '%2e%2e.wav', '.hidden.wav', '"quotes" \'and\' 😀.wav', '..wav']
/** Files of which each is of one test. */
const MUSIC_DIR = folder(t, {
  ...Object.fromEntries(anyNames.map((name, index) => [name, wav({ title: `Any ${index}`, artist: 'Name' })])),
  'Ada - Frames.aac': aacFrames(Array<number>(100).fill(300)),
  // No socket takes them at once.
  'shorter.mp3': large('Shorter'),
  'replaced.mp3': large('Replaced'),
  ...Object.fromEntries(['Linked', 'Deleted', 'Emptied', 'FIFO'].map(title =>
    [`${title.toLowerCase()}.mp3`, mp3({ title, artist: 'Nobody' })]))
})
const outside = folder(t, { 'secret.mp3': mp3({ title: 'Secret', artist: 'Nobody' }) })
symlinkSync(join(outside, 'secret.mp3'), join(MUSIC_DIR, 'out.mp3'))
symlinkSync(outside, join(MUSIC_DIR, 'folder'))
// A test sees a file as it was indexed, whatever the tests before it have changed.
replace(t, MusicFolder.prototype, 'watch', function (this: MusicFolder) { return this.scan() })
const made = await start(t, { MUSIC_DIR })
const originOfMade = await made.app.listen({ port: 0, host: '127.0.0.1' })

const file = readFileSync(join(demo, 'Ada Plume/Plucked at Dawn/01 Prelude in C.flac'))

async function fetched (url: string, options: { method?: string, headers?: Record<string, string> } = {}) {
  const [response] = await once(request(url, { agent: false, ...options }).end(), 'response') as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

t.test('a player without a header gets the whole file, with its type, its length and an ETag', async t => {
  const { status, headers, body } = await fetched(url)
  t.equal(status, 200)
  t.ok(body.equals(file))
  t.match(headers, {
    'content-type': 'audio/flac',
    'content-length': String(file.length),
    'accept-ranges': 'bytes',
    etag: /./,
    'last-modified': /./,
    'cross-origin-resource-policy': 'cross-origin'
  })
})

const ranges: Record<string, [from: number, to: number]> = {
  'bytes=0-99': [0, 100],
  'bytes=1000-1999': [1000, 2000],
  'bytes=900000-': [900000, file.length],
  'bytes=900000-99999999999': [900000, file.length],
  'bytes=-10': [file.length - 10, file.length],
  'bytes=-99999999999': [0, file.length]
}
for (const [range, [from, to]] of Object.entries(ranges)) {
  t.test(`${range} is a 206 with that part`, async t => {
    const { status, headers, body } = await fetched(url, { headers: { range } })
    t.equal(status, 206)
    t.equal(headers['content-range'], `bytes ${from}-${to - 1}/${file.length}`)
    t.ok(body.equals(file.subarray(from, to)))
  })
}

t.test('a range beyond the end is a 416 that tells the length', async t => {
  const { status, headers } = await fetched(url, { headers: { range: `bytes=${file.length}-` } })
  t.equal(status, 416)
  t.equal(headers['content-range'], `bytes */${file.length}`)
})

for (const range of ['bytes=9-2', 'bytes=-', 'bytes=a-b', 'bytes=0-1,5-6', 'seconds=0-1', 'bytes']) {
  t.test(`${range} is no part that is sent alone, so the whole file is`, async t => {
    const { status, body } = await fetched(url, { headers: { range } })
    t.equal(status, 200)
    t.equal(body.length, file.length)
  })
}

const future = new Date(Date.now() + 86_400_000).toUTCString()
const past = new Date(0).toUTCString()
const conditions: [condition: (etag: string, modified: string) => Record<string, string>, status: number][] = [
  [etag => ({ 'if-range': etag }), 206],
  [(_etag, modified) => ({ 'if-range': modified }), 206],
  [() => ({ 'if-range': '"another"' }), 200],
  [() => ({ 'if-range': past }), 200],
  [etag => ({ 'if-match': `"another", ${etag}` }), 206],
  [() => ({ 'if-match': '*' }), 206],
  [() => ({ 'if-match': '"another"' }), 412],
  [(_etag, modified) => ({ 'if-unmodified-since': modified }), 206],
  [() => ({ 'if-unmodified-since': past }), 412],
  [() => ({ 'if-modified-since': future }), 304],
  [() => ({ 'if-modified-since': past }), 206]
]
for (const [condition, status] of conditions) {
  t.test(`a part with ${JSON.stringify(condition('the ETag', 'the time of the file'))} is a ${status}`, async t => {
    const { headers } = await fetched(url, { method: 'HEAD' })
    t.equal((
      await fetched(url, { headers: { range: 'bytes=0-9', ...condition(headers.etag!, headers['last-modified']!) } })
    ).status, status)
  })
}

t.test('HEAD tells the same without the file, and with a range', async t => {
  const { status, headers, body } = await fetched(url, { method: 'HEAD' })
  t.equal(status, 200)
  t.equal(body.length, 0)
  t.match(headers, { 'content-type': 'audio/flac', 'content-length': String(file.length), 'accept-ranges': 'bytes' })
  t.equal((await fetched(url, { method: 'HEAD', headers: { range: 'bytes=0-9' } })).headers['content-length'], '10')
})

t.test('who has the file already gets a 304', async t => {
  const { headers } = await fetched(url)
  const again = await fetched(url, { headers: { 'if-none-match': headers.etag! } })
  t.equal(again.status, 304)
  t.equal(again.body.length, 0)
})

const types: Record<string, [keyword: string, quality: string, type: string]> = {
  mp3: ['prelude', 'standard', 'audio/mpeg'],
  m4a: ['greensleeves', 'standard', 'audio/mp4'],
  opus: ['menuett', 'standard', 'audio/ogg'],
  ogg: ['kanon', 'standard', 'audio/ogg']
}
for (const [format, [keyword, quality, type]] of Object.entries(types)) {
  t.test(`${format} is ${type}`, async t => {
    const url = origin + await urlOf(source, keyword, quality)
    t.match(url, new RegExp(`\\.${format}\\?`))
    t.equal((await fetched(url, { method: 'HEAD' })).headers['content-type'], type)
  })
}

t.test('a changed URL is a 403', async t => {
  const changed = [
    url.replace('lossless.flac', 'standard.mp3'),
    url.replace(/expires=\d/, 'expires=9'),
    url.replace(/.$/, last => last === 'A' ? 'B' : 'A'),
    url.replace(/&signature=.*/, ''),
    url.replace(/\?.*/, ''),
    `${url}&expires=1`,
    `${url}&signature=a`
  ]
  for (const wrong of changed) t.equal((await fetched(wrong)).status, 403, wrong.replace(/^[^?]*/, ''))
})

t.test('an expired URL is a 403', async t => {
  const later = Date.now() + 7 * 60 * 60 * 1000
  replace(t, Date, 'now', () => later)
  t.equal((await fetched(url)).status, 403)
})

t.test('a URL outlives a restart', async t => {
  const env = { DATA_DIR: folder(t), MUSIC_DIR: folder(t, { 'one.wav': wav({ title: 'One' }) }) }
  const first = await start(t, env)
  const url = await urlOf(first, 'one')
  await first.app.close()
  const second = await start(t, env)
  t.equal((await second.call(url, { headers: {} })).statusCode, 200)
})

t.test('a key that was damaged is made anew', async t => {
  const DATA_DIR = folder(t, { 'media.key': 'short' })
  await startWith(t, {}, { DATA_DIR })
  t.equal(readFileSync(join(DATA_DIR, 'media.key')).length, 32)
})

t.test('a file with any name is served', async t => {
  for (const [index, name] of anyNames.entries()) {
    const answer = await made.call(await urlOf(made, `any ${index}`), { headers: {} })
    t.equal(answer.statusCode, 200, name)
    t.equal(answer.headers['content-type'], 'audio/wav')
  }
})

t.test('AAC frames have a media type, as every format that is listed', async t => {
  const answer = await made.call(await urlOf(made, 'frames'), { headers: {} })
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-type'], 'audio/aac')
  t.same([...audioTypes(true).listed].filter(type => !audioTypeOf(type)?.startsWith('audio/')), [])
})

t.test('a link that leaves the folder is never served, nor a file that became one', async t => {
  t.same((await made.data('/v1/search/tracks?keyword=secret')).items, [])

  const url = await urlOf(made, 'linked')
  rmSync(join(MUSIC_DIR, 'linked.mp3'))
  symlinkSync(join(outside, 'secret.mp3'), join(MUSIC_DIR, 'linked.mp3'))
  t.equal((await made.call(url)).statusCode, 404)
})

t.test('a file that was deleted is a 404; no cache in front of the source keeps what went wrong', async t => {
  const url = await urlOf(made, 'deleted')
  const keptOf = async (path: string, headers = {}) => {
    const { statusCode, headers: { 'cache-control': caching } } = await made.call(path, { headers })
    return [statusCode, caching]
  }
  t.strictSame(await keptOf(url, { range: 'bytes=99999999-' }), [416, 'no-store'])
  rmSync(join(MUSIC_DIR, 'deleted.mp3'))
  t.strictSame(await keptOf(url), [404, 'no-store'])
  t.strictSame(await keptOf(`${url}x`), [403, 'no-store'])
  t.strictSame(await keptOf('/status'), [200, 'no-store'])
  t.strictSame(await keptOf('/none?token=x'), [404, 'no-store'])
})

t.test('while the disk of the music is away its files are a 503, for which players come back', async t => {
  const root = folder(t, { 'music/one.mp3': mp3({ title: 'One', artist: 'Nobody' }) })
  const source = await start(t, { MUSIC_DIR: join(root, 'music') })
  const url = await urlOf(source, 'one')
  renameSync(join(root, 'music'), join(root, 'away'))
  t.match((await source.call(url)).json(), { code: 503, message: 'The disk of the music is away', data: null })
  renameSync(join(root, 'away'), join(root, 'music'))
  t.equal((await source.call(url)).statusCode, 200)
})

t.test('a track that a scan takes away while its file is opened is sent all the same', async t => {
  const signer = createSigner({ keys: [Buffer.alloc(32)], ttl: 60_000 })
  const root = folder(t, { 'a.mp3': 'sound' })
  const listed = [{ durationMs: 1000, files: [{ path: 'a.mp3', format: 'mp3' }] }]
  const server = fastify()
  t.teardown(() => server.close())
  const silent = { follow: () => () => {} }
  const read = { root, catalogue: { tracks: { get: () => listed.pop() } } }
  await server.register(mediaRoutes, { signer, folder: read, silent, dataDir: root } as never)
  const { statusCode, body } = await server.inject(signer.sign(audioPath('id', 'standard.mp3', 'ann')))
  t.strictSame([statusCode, body], [200, 'sound'])
})

t.test('a file whose bits nobody knows is transcoded to as many as are asked for, and may go meanwhile', async t => {
  const signer = createSigner({ keys: [Buffer.alloc(32)], ttl: 60_000 })
  const root = folder(t, { 'a.mp3': 'sound' })
  const track = { durationMs: 1000, files: [{ path: 'a.mp3', format: 'mp3', lossless: false, bitrate: null }] }
  const server = fastify()
  t.teardown(() => server.close())
  const asked: object[] = []
  const transcoder = {
    send: async (reply: FastifyReply, { profile, open }: Transcoding) => {
      asked.push(profile)
      rmSync(join(root, 'a.mp3'))
      await open(new AbortController().signal)
      return reply.send('sound')
    }
  }
  const read = { root, catalogue: { tracks: { get: () => track } }, isThere: async () => true }
  await server.register(mediaRoutes, { signer, folder: read, transcoder, dataDir: root } as never)
  const url = transcodedUrl(signer.sign(audioPath('id', 'standard.mp3')), { format: 'opus', bitrate: 96_000 })
  t.equal((await server.inject(url)).statusCode, 404)
  t.same(asked, [{ format: 'opus', bitrate: 96_000 }])
  const other = transcodedUrl(signer.sign(audioPath('id', 'lossless.flac')), { format: 'opus' })
  t.equal((await server.inject(other)).statusCode, 404)
  t.equal(asked.length, 1)
})

t.test('PUBLIC_URL is what media URLs begin with, else the scheme and host of the request', async t => {
  const fullUrl = async ({ call, data }: Source, keyword: string) => {
    const [track] = (await data(`/v1/search/tracks?keyword=${keyword}`)).items
    const headers = { authorization: token, host: 'music.local:8080' }
    return (await call(`/v1/track/url?id=${track.id}`, { headers })).json().data.url
  }
  const PUBLIC_URL = 'https://music.example.com/here/'
  t.match(
    await fullUrl(await startWith(t, { 'one.wav': wav({ title: 'One' }) }, { PUBLIC_URL }), 'one'),
    /^https:\/\/music\.example\.com\/here\/media\/audio\//
  )
  t.match(await fullUrl(source, 'prelude'), /^http:\/\/music\.local:8080\/media\/audio\//)
})

t.test('a Host header that is longer than any name is a 400, for who may call', async t => {
  for (const { call } of [source, stateless]) {
    const host = 'a'.repeat(300)
    const answer = await call('/v1/track/new', { headers: { authorization: token, host } })
    t.match(answer.json(), { code: 400, message: 'The Host header is too long' })
    t.equal((await call('/v1/track/new', { headers: { host } })).statusCode, 401)
  }
})

t.test('no media URL gets into the log with its signature, however wrong the request', async t => {
  const source = await startWith(t, { 'one.wav': wav({ title: 'One' }) })
  const { app, lines } = source
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const url = origin + await urlOf(source, 'one')
  const { pathname, search } = new URL(url)
  const signature = new URL(url).searchParams.get('signature')!
  await fetched(url)
  for (const path of [pathname, '/media/audio/nothing', '/nothing', '/media/%zz', '/media/audio/a/b/c', '/v1/track']) {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) await fetched(origin + path + search, { method })
  }
  await fetched(`${url}x`)
  await app.close()
  t.ok(lines.length > 30)
  t.notMatch(JSON.stringify(lines), signature)
  t.notMatch(JSON.stringify(lines), 'expires=')
})

t.test('a client that goes away in the middle does no harm', async t => {
  const [response] = await once(get(url, { agent: false }), 'response')
  response.destroy()
  t.equal((await fetched(url)).status, 200)
})

t.test('the folder is a path, not a pattern: brackets in its name are fine', async t => {
  const MUSIC_DIR = folder(t, { 'a [live] (x)/': '' })
  writeFileSync(join(MUSIC_DIR, 'a [live] (x)', 'one.wav'), wav({ title: 'One', artist: 'Two' }))
  const source = await start(t, { MUSIC_DIR: join(MUSIC_DIR, 'a [live] (x)') })
  t.equal((await source.call(await urlOf(source, 'one'))).statusCode, 200)
})

t.test('a file that becomes shorter while it is sent ends the connection', async t => {
  const url = originOfMade + await urlOf(made, 'shorter')
  // A connection that is to be closed after the answer would end in any case.
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const [response] = await once(get(url, { agent }), 'response') as [IncomingMessage]
  truncateSync(join(MUSIC_DIR, 'shorter.mp3'), 1_000_000)
  await t.rejects(buffer(response), { code: 'ECONNRESET' })
  t.ok(made.lines.some(({ err }) => err?.message === 'The file became shorter while it was sent'))
})

t.test('a file that is replaced while it is sent is sent as it was', async t => {
  const url = originOfMade + await urlOf(made, 'replaced')
  const file = join(MUSIC_DIR, 'replaced.mp3')
  const before = readFileSync(file)
  const [response] = await once(get(url, { agent: false }), 'response') as [IncomingMessage]
  rmSync(file)
  writeFileSync(file, 'another')
  t.ok((await buffer(response)).equals(before))
})

t.test('a file that was emptied is empty', async t => {
  const url = originOfMade + await urlOf(made, 'emptied')
  writeFileSync(join(MUSIC_DIR, 'emptied.mp3'), '')
  const { status, headers } = await fetched(url)
  t.equal(status, 200)
  t.equal(headers['content-length'], '0')
  t.equal((await fetched(url, { headers: { range: 'bytes=-1' } })).status, 416)
})

t.test('a file that became a FIFO is a 404, and the rest is served as ever', async t => {
  const url = originOfMade + await urlOf(made, 'fifo')
  rmSync(join(MUSIC_DIR, 'fifo.mp3'))
  fifo(MUSIC_DIR, 'fifo.mp3')
  for (let times = 0; times < 10; times++) t.equal((await fetched(url)).status, 404)
})

t.test('a stateless source serves audio too, and the URL names no account', async t => {
  const [{ id }] = (await stateless.data('/v1/search/tracks?keyword=prelude')).items
  const url = await urlOf(stateless)
  t.match(url, new RegExp(`^/media/audio/${id}/lossless\\.flac\\?`))
  t.equal((await stateless.call(url, { headers: {} })).statusCode, 200)
})
