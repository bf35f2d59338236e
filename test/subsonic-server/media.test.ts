import fastify from 'fastify'
import {
  NotFoundError, RateLimitedError, TimeoutError, UnplayableError, type SourceAdapter
} from 'fastify-source-origin'
import t, { type Test } from 'tap'
import { createReferenceAdapter } from '../reference-source.ts'
import { logged } from '../helper.ts'
import { ask, get, login, queryOf, roomy, serve, token, type Query } from './helper.ts'
import { replace } from '../replace.ts'

const audio = Buffer.from(Array.from({ length: 5000 }, (_empty, index) => index % 251))
const qualities = [
  { key: 'low', label: 'Low', size: 100, bitrate: 128_000, format: 'mp3' },
  { key: 'ogg', label: 'Ogg', size: 150, bitrate: 192_000, format: 'ogg' },
  { key: 'high', label: 'High', size: 200, bitrate: 320_000, format: 'mp3' },
  { key: 'best', label: 'Best', size: 900, format: 'flac' }
]

const details = (id: string) =>
  ({ id, title: id, artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 1, qualities })

/** An upstream with audio and pictures, and a source whose URLs are there. */
async function upstream (
  t: Test,
  more: SourceAdapter = {},
  options: Parameters<typeof serve>[1] = {},
  server: Parameters<typeof serve>[2] = roomy
) {
  const refused = new Set<string>()
  const asked: { url: string, headers: Record<string, unknown> }[] = []
  const host = fastify({ exposeHeadRoutes: false })
  t.teardown(() => host.close())
  host.get('/audio/:name', (request, reply) => {
    asked.push({ url: request.url, headers: request.headers })
    if (refused.has(request.url)) return reply.code(403).send('expired')
    const { name } = request.params as { name: string }
    if (name === 'page') return reply.type('text/html').send('<script>')
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    reply.type(name === 'stream' ? 'application/octet-stream' : 'audio/mpeg')
      .headers({ 'accept-ranges': 'bytes', 'set-cookie': 'a=b' })
    if (from === undefined) return reply.send(audio)
    if (Number(from) >= audio.length) return reply.code(416).header('content-range', `bytes */${audio.length}`).send()
    const end = Math.min(to ? Number(to) : audio.length - 1, audio.length - 1)
    return reply.code(206).header('content-range', `bytes ${from}-${end}/${audio.length}`)
      .send(audio.subarray(Number(from), end + 1))
  })
  host.get('/picture/:name', (request, reply) => {
    asked.push({ url: request.url, headers: request.headers })
    if (refused.has(request.url)) return reply.code(403).send('expired')
    return reply.type((request.params as { name: string }).name).send('picture')
  })
  const origin = await host.listen({ port: 0 })
  let opened = 0
  const urls: (string | undefined)[] = []
  const adapter: SourceAdapter = {
    ...createReferenceAdapter(() => origin),
    getTrackDetail: id => ({ ...details(id), album: { id: '', name: '', coverUrl: `${origin}/picture/image%2Fpng` } }),
    getTrackUrl: (id, quality) => {
      urls.push(quality)
      return { url: `${origin}/audio/${id}?${opened++}`, quality: quality ?? '', format: 'flac' }
    },
    ...more
  }
  const app = await serve(t, { adapter, allowPrivate: true, ...options }, server)
  return { app, asked, urls, refused, origin }
}

const stream = (query: Query = {}, method = 'stream') =>
  `/rest/${method}?${queryOf({ ...login, id: 'tr-song', ...query })}`

t.test('audio comes through this server, with the type of the upstream and nothing else of it', async t => {
  const { app, asked } = await upstream(t)
  const response = await app.inject({ url: stream(), headers: { cookie: 'c=d', authorization: 'Basic x' } })
  t.equal(response.statusCode, 200)
  t.same(response.rawPayload, audio)
  t.match(response.headers, { 'content-type': 'audio/mpeg', 'content-length': '5000', 'accept-ranges': 'bytes' })
  t.notOk('set-cookie' in response.headers)
  t.notOk('cookie' in asked[0]!.headers || 'authorization' in asked[0]!.headers)
})

for (const media of ['proxy', 'redirect'] as const) {
  t.test(`audio by way of ${media} is answered once, and the log has no warning and no credential`, async t => {
    const { lines, logger } = logged()
    const { app } = await upstream(t, {}, { media }, { ...roomy, logger })
    t.equal((await app.inject(stream())).statusCode, media === 'proxy' ? 200 : 302)
    t.equal((await app.inject({ method: 'HEAD', url: stream() })).statusCode, media === 'proxy' ? 200 : 302)
    t.strictSame(lines.filter(({ level }) => level > 30), [])
    t.notMatch(JSON.stringify(lines), token)
  })
}

t.test('ranges, ranges beyond the end and HEAD', async t => {
  const { app } = await upstream(t)
  const range = await app.inject({ url: stream(), headers: { range: 'bytes=0-1' } })
  t.equal(range.statusCode, 206)
  t.match(range.headers, { 'content-range': 'bytes 0-1/5000', 'content-length': '2' })
  t.equal((await app.inject({ url: stream(), headers: { range: 'bytes=9000-' } })).statusCode, 416)
  const head = await app.inject({ method: 'HEAD', url: stream() })
  t.match(head.headers, { 'content-length': '5000', 'content-type': 'audio/mpeg' })
  t.equal(head.body, '')
})

t.test('bytes of unknown type get the type of the format', async t => {
  const { app } = await upstream(t)
  t.equal((await app.inject(stream({ id: 'tr-stream' }))).headers['content-type'], 'audio/flac')
})

for (const [query, key] of [
  [{}, 'best'],
  [{ format: 'raw' }, 'best'],
  [{ maxBitRate: 0 }, 'best'],
  [{ maxBitRate: 320 }, 'high'],
  [{ maxBitRate: 200 }, 'ogg'],
  [{ maxBitRate: 192 }, 'ogg'],
  [{ maxBitRate: 191 }, 'low'],
  [{ maxBitRate: 64 }, 'low'],
  [{ maxBitRate: '191.5' }, 'ogg'],
  [{ format: 'MP3' }, 'high'],
  [{ format: 'flac', maxBitRate: 320 }, 'best'],
  [{ format: 'RAW', maxBitRate: 64 }, 'best'],
  [{ format: 'mp3' }, 'high'],
  [{ format: 'mp3', maxBitRate: 200 }, 'low'],
  [{ format: 'opus', maxBitRate: 200 }, 'ogg'],
  [{ format: 'raw', maxBitRate: 64 }, 'best']
] as [Query, string][]) {
  t.test(`stream?${queryOf(query)} gives the quality ${key}`, async t => {
    const { app, urls } = await upstream(t)
    await app.inject(stream(query))
    t.strictSame(urls, [key])
  })
}

t.test('a URL goes through this server where its own address cannot be told', async t => {
  const { app } = await upstream(t, {}, { media: 'auto' })
  const response = await app.inject({ url: stream(), headers: { host: '%' } })
  t.equal(response.statusCode, 200)
  t.same(response.rawPayload, audio)
})

t.test('a source without qualities is asked without a key, and one without details too', async t => {
  const { app, urls } = await upstream(t, { getTrackDetail: undefined as never })
  t.equal((await app.inject(stream())).statusCode, 200)
  t.strictSame(urls, [undefined])
})

t.test('a list that names no qualities does not make a limit void', async t => {
  const bare = { id: 'song', title: 'T', artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 1 }
  const { app, urls } = await upstream(t, {
    searchTracks: () =>
      ({ items: [bare], offset: 0, limit: 1, hasMore: false })
  })
  await ask(app, 'search3', { query: 'x', songCount: 1 })
  await app.inject(stream({ maxBitRate: 128 }))
  await app.inject(stream({ format: 'ogg' }))
  await ask(app, 'search3', { query: 'x', songCount: 1 })
  await app.inject(stream())
  t.strictSame(urls, ['low', 'ogg', undefined], 'without a limit the source decides')
  const without = await upstream(t, {
    getTrackDetail: undefined as never, searchTracks: () => ({ items: [bare], offset: 0, limit: 1, hasMore: false })
  })
  await ask(without.app, 'search3', { query: 'x', songCount: 1 })
  await without.app.inject(stream({ maxBitRate: 128 }))
  t.strictSame(without.urls, [undefined])
})

t.test('a song is located anew when its URL is refused', async t => {
  const { app, refused, asked } = await upstream(t)
  refused.add('/audio/song?0')
  t.same((await app.inject(stream())).rawPayload, audio)
  t.strictSame(asked.map(({ url }) => url), ['/audio/song?0', '/audio/song?1'])
})

t.test('a URL is kept until a minute before it expires', async t => {
  const until = Math.floor(Date.now() / 1000) + 50
  const { app, urls, origin } = await upstream(t)
  const adapter = {
    getTrackUrl: (id: string) => {
      urls.push(id)
      return { url: `${origin}/audio/${id}?expires=${until}`, quality: '' }
    }
  }
  const other = await serve(t, { adapter, allowPrivate: true })
  await other.inject(stream())
  await other.inject(stream())
  t.strictSame(urls, ['song', 'song'])
  await app.close()
})

for (const [title, url, way] of [
  ['of the same host is a redirect', 'http://localhost:80/audio/1.mp3', 'redirect'],
  ['of another host is not', 'http://example.com/1.mp3', 'proxy'],
  ['below /rest/ is not', 'http://localhost:80/rest/1.mp3', 'proxy'],
  ['of another scheme is not', 'https://localhost:80/1.mp3', 'proxy'],
  ['of a list of pieces is a redirect', 'https://example.com/1.m3u8', 'redirect'],
  ['that is none is not', 'nonsense', 'proxy']
] as const) {
  t.test(`a URL ${title}`, async t => {
    const app = await serve(t, { adapter: { getTrackUrl: () => ({ url, quality: '' }) } })
    const { statusCode, headers } = await app.inject(stream())
    if (way === 'redirect') {
      const location = url.replace('http://localhost:80/', '../')
      t.match({ statusCode, headers }, { statusCode: 302, headers: { location, 'cache-control': 'no-store' } })
    } else t.equal(statusCode, 502)
  })
}

for (const [publicUrl, prefix, url, asked, location] of [
  ['https://a.example', '', 'https://a.example/media/1', '/rest/stream', '../media/1'],
  ['https://a.example', '', 'https://a.example/media/1?s=/rest/', '//rest//stream.view', '../../../media/1?s=/rest/'],
  ['https://a.example', '', 'https://a.example.org/media/1', '/rest/stream', 'https://a.example.org/media/1'],
  ['https://a.example/music', '', 'https://a.example/music/media/1', '/rest/stream', '../media/1'],
  ['https://a.example/music', '/music', 'https://a.example/music/media/1', '/music/rest/stream', '../media/1'],
  ['https://a.example/music', '/music', 'https://a.example/music/media/1', '/music/rest/stream/', '../../media/1'],
  ['https://a.example', '/music', 'https://a.example/music/media/1', '/music/rest/stream', '../../music/media/1'],
  [undefined, '/music', 'http://localhost:80/music/media/1', '/music/rest/stream', '../../music/media/1'],
  ['https://a.example', '/music', 'https://a.example/media/1', '/music/%72est/stream', 'https://a.example/media/1']
] as const) {
  t.test(`${url}, asked for at ${asked} with publicUrl ${publicUrl}, is redirected to as ${location}`, async t => {
    const getTrackUrl = () => ({ url, quality: '' })
    const routerOptions = { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true }
    const app = await serve(t, { adapter: { getTrackUrl }, prefix, media: 'redirect', ...publicUrl && { publicUrl } },
      { ...roomy, routerOptions })
    const { headers } = await app.inject(`${asked}?${queryOf({ ...login, id: 'tr-1' })}`)
    t.equal(headers.location, location)
  })
}

t.test('by default a URL below publicUrl is a redirect', async t => {
  const url = 'https://a.example/media/1'
  const adapter = { getTrackUrl: () => ({ url, quality: '' }) }
  const app = await serve(t, { adapter, publicUrl: 'https://a.example' })
  t.match(await app.inject(stream()), { statusCode: 302, headers: { location: '../media/1' } })
})

for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'java\tscript:alert(1)']) {
  t.test(`neither audio nor a picture at ${JSON.stringify(url)} is redirected to or described`, async t => {
    const artist = { id: 'a', name: 'Ada', coverUrl: url }
    const adapter: SourceAdapter = {
      getTrackUrl: () => ({ url, quality: '' }),
      getTrackDetail: id => ({ ...details(id), album: { id: '', name: '', coverUrl: url } }),
      getArtistDetail: () => ({ ...artist, tracks: [] })
    }
    const app = await serve(t, { adapter, media: 'redirect' })
    for (const method of ['stream', 'getCoverArt']) {
      const { headers, statusCode } = await get(app, method, { id: 'tr-1' })
      t.match({ headers, statusCode }, { headers: { location: undefined }, statusCode: 502 }, method)
    }
    t.notMatch((await get(app, 'getArtistInfo2', { id: 'ar-a' })).body, /script|passwd/)
    t.notMatch((await get(app, 'getArtist', { id: 'ar-a' })).body, /script|passwd/)
  })
}

t.test('the option "media" decides', async t => {
  const { app, origin } = await upstream(t, {}, { media: 'redirect' })
  t.match((await app.inject(stream())).headers.location, `${origin}/audio/song`)
  const seen: unknown[] = []
  const other =
    await upstream(t, {}, { media: (url, { kind }) => { seen.push([new URL(url).pathname, kind]); return 'proxy' } })
  t.equal((await other.app.inject(stream())).statusCode, 200)
  t.strictSame(seen, [['/audio/song', 'audio']])
})

t.test('only listed hosts, and only public addresses unless that is allowed', async t => {
  for (const options of [{ allowPrivate: false }, { hosts: ['example.com'] }]) {
    const { app, asked } = await upstream(t, {}, options)
    t.equal((await app.inject(stream())).statusCode, 502)
    t.equal(asked.length, 0)
  }
})

for (const [error, status, code] of [
  [new NotFoundError(), 404, 70],
  [new UnplayableError('Not in your country'), 403, 50],
  [new RateLimitedError('Slow down', { retryAfterSeconds: 7 }), 429, 0],
  [new TimeoutError(), 504, 0],
  [new Error('secret'), 502, 0]
] as const) {
  t.test(`${error.name} of the source is HTTP ${status} with code ${code}`, async t => {
    const { app } = await upstream(t, { getTrackUrl: () => { throw error } })
    const response = await app.inject(stream({ f: 'json' }))
    t.equal(response.statusCode, status)
    t.equal(response.json()['subsonic-response'].error.code, code)
    t.equal(response.headers['cache-control'], 'no-store')
    t.equal(response.headers['retry-after'], status === 429 ? '7' : undefined)
    t.notMatch(response.body, 'secret')
  })
}

t.test('what is no audio is refused, as is a source without audio and an empty URL', async t => {
  const { app } = await upstream(t)
  t.equal((await app.inject(stream({ id: 'tr-page' }))).statusCode, 502)
  t.equal((await (await serve(t)).inject(stream())).statusCode, 403)
  t.equal((
    await (await serve(t, { adapter: { getTrackUrl: () => ({ url: '', quality: '' }) } })).inject(stream())
  ).statusCode, 502)
  t.equal((await app.inject(stream({}, 'hls.m3u8'))).statusCode, 404)
})

t.test('a missing id and a wrong login stay HTTP 200: no player asks so', async t => {
  const { app } = await upstream(t)
  t.match((await app.inject(stream({ id: undefined, f: 'json' }))).json(), {
    'subsonic-response': { error: { code: 10 } }
  })
  const refused = await app.inject(stream({ p: 'wrong' }))
  t.equal(refused.statusCode, 200)
  t.match(refused.headers['content-type'], /^text\/xml/)
})

t.test('covers are found by what was shown, else by asking', async t => {
  const { app, asked, origin } = await upstream(t)
  const album = { id: 'b', name: 'B', coverUrl: `${origin}/picture/image%2Fpng` }
  const other = await serve(t, {
    allowPrivate: true,
    resizeCover: (url, pixels) => `${url}?size=${pixels}`,
    adapter: {
      getAlbumDetail: () => ({ ...album, tracks: [] }),
      getArtistDetail: () => ({ id: 'a', name: 'A', avatarUrl: album.coverUrl, tracks: [] }),
      getTrackDetail: (id: string) => ({ id, title: '', artists: [], album, durationMs: 1 }),
      getPlaylistDetail: (id: string) => ({ id, name: '', coverUrl: album.coverUrl, tracks: [] }),
      getUserMe: () => ({ userId: '1', nickname: '', avatar: album.coverUrl, platform: '' })
    } satisfies SourceAdapter
  })
  for (const id of ['al-b', 'ar-a', 'tr-t', 'pl-p']) {
    const cover = await get(other, 'getCoverArt', { id })
    t.equal(cover.body, 'picture', id)
    t.match(cover.headers, { 'content-type': 'image/png', 'cache-control': /^private, max-age=86(400|399)$/ })
  }
  await get(other, 'getCoverArt', { id: 'al-b', size: 300 })
  t.equal(asked.at(-1)!.url, '/picture/image%2Fpng?size=300')
  t.equal((await get(other, 'getAvatar')).body, 'picture')
  t.equal((await get(other, 'getAvatar', { username: 'eve' })).statusCode, 403)
  t.equal((await get(app, 'getCoverArt', { id: 'sp-daily' })).statusCode, 404)
  t.equal((await get(app, 'getCoverArt', { id: '17' })).statusCode, 404)
})

t.test('a cover whose URL has expired since it was shown is asked for again, once', async t => {
  let count = 0
  const coverUrl = () => `https://x.example/c${count++}?expires=${Math.floor(Date.now() / 1000) + 3600}`
  const app = await serve(t, {
    media: 'redirect',
    adapter: { getAlbumDetail: (id: string) => ({ id, name: 'B', coverUrl: coverUrl(), tracks: [] }) }
  })
  const cover = async () => /c\d/.exec(String((await get(app, 'getCoverArt', { id: 'al-b' })).headers.location))?.[0]
  await ask(app, 'getAlbum', { id: 'al-b' })
  t.strictSame([await cover(), await cover()], ['c0', 'c0'])
  const later = Date.now() + 3_600_000 - 30_000
  replace(t, Date, 'now', () => later)
  t.strictSame([await cover(), await cover()], ['c1', 'c1'])
})

t.test('a cover that is refused is asked for again', async t => {
  const { origin, refused, asked } = await upstream(t)
  let count = 0
  const coverUrl = () => `${origin}/picture/image%2Fpng?${count++}`
  const adapter = { getAlbumDetail: (id: string) => ({ id, name: 'B', coverUrl: coverUrl(), tracks: [] }) }
  const app = await serve(t, { allowPrivate: true, adapter })
  await ask(app, 'getAlbum', { id: 'al-b' })
  refused.add('/picture/image%2Fpng?0')
  t.equal((await get(app, 'getCoverArt', { id: 'al-b' })).body, 'picture')
  t.strictSame(asked.map(({ url }) => url.slice(-1)), ['0', '1'])
})

for (const type of ['image/svg+xml', 'text/html']) {
  t.test(`a cover of type ${type} is refused`, async t => {
    const { origin } = await upstream(t)
    const adapter = {
      getAlbumDetail: () =>
        ({ id: 'b', name: 'B', coverUrl: `${origin}/picture/${encodeURIComponent(type)}`, tracks: [] })
    }
    t.equal((await get(await serve(t, { adapter, allowPrivate: true }), 'getCoverArt', { id: 'al-b' })).statusCode, 502)
  })
}

t.test('what was sent is logged with its kind, its id and its size', async t => {
  const { lines, logger } = logged()
  const { app } = await upstream(t, {}, {}, { ...roomy, logger })
  await app.inject(stream())
  await get(app, 'getCoverArt', { id: 'tr-song' })
  await app.close()
  t.strictSame(lines.filter(({ msg }) => msg === 'media ended').map(
    ({ media: { kind, params, status, bytes, resolutions } }) => [kind, params, status, bytes, resolutions]
  ),
  [['audio', { id: 'song' }, 200, 5000, 1], ['cover', { id: 'tr-song' }, 200, 7, 1]])
})

t.test('audio may be kept as long as its URL holds, five minutes where that is not told', async t => {
  const now = Date.now()
  replace(t, Date, 'now', () => now - now % 1000)
  const kept = async (query: string) => {
    const { origin } = await upstream(t)
    const app = await serve(t, {
      allowPrivate: true, adapter: { getTrackUrl: () => ({ url: `${origin}/audio/song${query}`, quality: '' }) }
    })
    return (await app.inject(stream())).headers['cache-control']
  }
  t.equal(await kept(''), 'private, max-age=300')
  t.equal(await kept(`?expires=${Math.floor(now / 1000) + 1000}`), 'private, max-age=1000')
})

t.test('each quality of a track has a URL of its own', async t => {
  const { app, urls } = await upstream(t, {}, { media: 'redirect' })
  for (const query of [{}, { maxBitRate: 320 }, { id: 'tr-other' }]) await app.inject(stream(query))
  t.strictSame(urls, ['best', 'high', 'best'])
})

for (const [name, type] of [
  ['a.png', 'image/png'], ['a.GIF', 'image/gif'], ['a.jpeg', 'image/jpeg'], ['a.webp?b.png', 'image/webp'],
  ['a.avif', 'image/avif'], ['a.svg', 'image/jpeg'], ['a.png.zip', 'image/jpeg'], ['a', 'image/jpeg'],
  ['apng', 'image/jpeg']
] as const) {
  t.test(`a cover of unknown type at ${name} is ${type}`, async t => {
    const host = fastify()
    t.teardown(() => host.close())
    host.get('/:name', (_request, reply) => reply.type('application/octet-stream').send('picture'))
    const coverUrl = `${await host.listen({ port: 0 })}/${name}`
    const app = await serve(t, {
      allowPrivate: true, adapter: { getAlbumDetail: () => ({ id: 'b', name: 'B', coverUrl, tracks: [] }) }
    })
    t.equal((await get(app, 'getCoverArt', { id: 'al-b' })).headers['content-type'], type)
  })
}

for (const [format, suffix, contentType] of [
  ['mka', 'mka', 'audio/x-matroska'], ['webm', 'webm', 'audio/webm'], ['m4b', 'm4b', 'audio/mp4'],
  ['MP3', 'mp3', 'audio/mpeg'], ['FLAC', 'flac', 'audio/flac'], ['m4a', 'm4a', 'audio/mp4'],
  ['mp4', 'mp4', 'audio/mp4'], ['aac', 'aac', 'audio/aac'], ['alac', 'm4a', 'audio/mp4'], ['ogg', 'ogg', 'audio/ogg'],
  ['speex', 'ogg', 'audio/ogg'], ['adpcm', 'wav', 'audio/wav'],
  ['oga', 'oga', 'audio/ogg'], ['opus', 'opus', 'audio/ogg'], ['wav', 'wav', 'audio/wav'],
  ['wma', 'wma', 'audio/x-ms-wma'], ['ape', 'ape', 'audio/x-ape'], ['xm', 'xm', 'audio/mpeg'],
  ['', 'mp3', 'audio/mpeg'], ['12345678', '12345678', 'audio/mpeg'], ['123456789', 'mp3', 'audio/mpeg'],
  ['a/b', 'mp3', 'audio/mpeg'], ['flac ', 'mp3', 'audio/mpeg']
] as const) {
  t.test(`a song of the format "${format}" has the suffix ${suffix} and the type ${contentType}`, async t => {
    const app = await serve(t, {
      adapter: {
        getTrackDetail: (id: string) =>
          ({
            id,
            title: '',
            artists: [],
            album: { id: '', name: '', coverUrl: '' },
            durationMs: 1,
            qualities: [
              { key: 'q', label: '', size: 0, format }
            ]
          })
      }
    })
    const { song } = await ask(app, 'getSong', { id: 'tr-t' })
    t.strictSame([song.suffix, song.contentType], [suffix, contentType])
    t.ok(song.path.endsWith(`.${suffix}`))
  })
}

t.test('lossless without a bitrate is the best, lossy without one the worst, of equals the first is taken', async t => {
  const best = async (...given: [string, number | null | undefined][]) => {
    const qualities = given.map(([format, bitrate], index) =>
      ({ key: String(index), label: '', size: 0, format, ...(bitrate !== undefined && { bitrate }) }))
    const { app, urls } = await upstream(
      t,
      {
        getTrackDetail: id =>
          ({ id, title: id, artists: [], album: { id: '', name: '', coverUrl: '' }, durationMs: 1, qualities })
      },
      { media: 'redirect' }
    )
    await app.inject(stream())
    return Number(urls[0])
  }
  for (const format of ['flac', 'wav', 'alac', 'aiff', 'aif', 'ape', 'wv', 'tta', 'dsf', 'dff', 'FLAC']) {
    t.equal(await best(['mp3', 320_000], [format, null]), 1, format)
  }
  t.equal(await best(['mp3', undefined], ['mp3', 1]), 1)
  t.equal(await best(['flac', null], ['wav', null]), 0)
  t.equal(await best(['flac', 900_000], ['wav', 1_411_000]), 1)
  t.equal(await best(['mp3', 320_000], ['ogg', 320_000]), 0)
})

for (const [title, options, path, status, code, message] of [
  ['a source without audio', {}, stream({ f: 'json' }), 403, 50, 'This source has no audio'],
  ['a list of pieces', {}, stream({ f: 'json' }, 'hls.m3u8'), 404, 0, 'This server does not cut audio into pieces'],
  ['an album for a song', {}, stream({ f: 'json', id: 'al-1' }), 404, 70, 'This is not the id of a track: al-1'],
  ['no id', {}, stream({ f: 'json', id: undefined }), 200, 10, 'Required parameter is missing: id'],
  ['an album without a picture',
    { adapter: { getAlbumDetail: () => ({ id: 'b', name: 'B', coverUrl: '', tracks: [] }) } },
    stream({ f: 'json', id: 'al-b' }, 'getCoverArt'), 404, 70, 'This item has no picture'],
  ['a user without a picture', {}, stream({ f: 'json' }, 'getAvatar'), 404, 70, 'This item has no picture'],
  ['the picture of somebody else', {}, stream({ f: 'json', username: 'eve' }, 'getAvatar'), 403, 50,
    'Only the own user can be looked at']
] as [string, object, string, number, number, string][]) {
  t.test(`${title} is HTTP ${status} with code ${code}: ${message}`, async t => {
    const response = await (await serve(t, options)).inject(path)
    t.equal(response.statusCode, status)
    t.strictSame(response.json()['subsonic-response'].error, { code, message })
  })
}

t.test('a host that is listed is asked, and the own user is so in any case', async t => {
  const { origin, asked } = await upstream(t)
  const app = await serve(t, {
    allowPrivate: true,
    hosts: [new URL(origin).host],
    adapter: { getUserMe: () => ({ userId: '1', nickname: '', avatar: `${origin}/picture/image%2Fpng`, platform: '' }) }
  })
  t.equal((await get(app, 'getAvatar', { username: 'ADA' })).body, 'picture')
  t.equal(asked.length, 1)
})

t.test('the size of a cover is asked for if the source\'s URLs know sizes and an app names one', async t => {
  const sizes: unknown[] = []
  const app = await serve(t, {
    media: 'redirect',
    resizeCover: (url, pixels) => { sizes.push(pixels); return `${url}?${pixels}` },
    adapter: { getAlbumDetail: () => ({ id: 'b', name: 'B', coverUrl: 'https://x.example/c', tracks: [] }) }
  })
  for (const [size, query] of [[undefined, ''], [0, ''], [1, '?1'], [600, '?600']] as const) {
    t.equal((await get(app, 'getCoverArt', { id: 'al-b', size })).headers.location, `https://x.example/c${query}`)
  }
  t.strictSame(sizes, [1, 600])
})

t.test('a download has the title as its name, or the id where nothing is known of the track', async t => {
  const { app } = await upstream(t, { getTrackDetail: id => ({ ...details(id), title: 'Söng/1' }) })
  t.equal((await app.inject(stream({}, 'download'))).headers['content-disposition'],
    'attachment; filename="S?ng_1.flac"; filename*=UTF-8\'\'S%C3%B6ng_1.flac')
  t.equal((await app.inject(stream())).headers['content-disposition'], undefined)
  const unknown = await upstream(t, { getTrackDetail: undefined } as never)
  t.equal((await unknown.app.inject(stream({}, 'download'))).headers['content-disposition'],
    'attachment; filename=song.flac')
})

t.test('downloads lead to where the source says, and are those of tracks where it says nothing', async t => {
  const downloadUrl = (kind: string, id: string) => kind === 'track' ? undefined : `https://files.example/${kind}/${id}`
  const { app } = await upstream(t, {}, { downloadUrl })
  for (const [id, kind] of [['al-1', 'album'], ['ar-1', 'artist'], ['pl-1', 'playlist']] as const) {
    const { statusCode, headers } = await app.inject(stream({ id }, 'download'))
    t.equal(statusCode, 302)
    t.equal(headers.location, `https://files.example/${kind}/1`)
  }
  t.same((await app.inject(stream({}, 'download'))).rawPayload, audio)
  for (const id of ['tl-1', 'sp-daily']) t.equal((await app.inject(stream({ id }, 'download'))).statusCode, 404)
})

t.test('who gets no audio from the source downloads nothing, wherever it is', async t => {
  const app = await serve(t, { downloadUrl: (_kind, id) => `https://files.example/${id}` })
  for (const id of ['tr-1', 'al-1']) {
    const { statusCode, body } = await app.inject(stream({ id, f: 'json' }, 'download'))
    t.equal(statusCode, 403)
    t.match(JSON.parse(body)['subsonic-response'].error, { code: 50, message: 'This source has no audio' })
  }
})
