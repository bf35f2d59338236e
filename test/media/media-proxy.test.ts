import fastify from 'fastify'
import { errors } from 'fastify-source-origin'
import { createSigner, mediaProxy, type MediaKind } from 'fastify-source-origin/media'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { difference, load, open, signer, song, startProxy, startUpstream } from './helper.ts'
import { replace } from '../replace.ts'

const content = song(1000)
const audio: MediaKind = { resolve: () => ({ url: 'https://cdn.example/song' }), hosts: ['cdn.example'] }

async function build (t: Test, options: any = {}) {
  const app = fastify()
  t.teardown(() => app.close())
  await app.register(mediaProxy, { signer, kinds: { audio }, ...options })
  return app
}

const wrong: Record<string, [options: any, code: string, message: string]> = {
  'an unknown option': [{ sign: signer }, 'UNKNOWN', 'Unknown option "sign": did you mean "signer"?'],
  'no signer': [{ signer: undefined }, 'INVALID', 'Option "signer" must be a signer made by createSigner'],
  'a signer that is none': [
    { signer: { sign () {} } }, 'INVALID', 'Option "signer" must be a signer made by createSigner'
  ],
  'a prefix without a slash': [
    { prefix: 'media' }, 'INVALID', 'Option "prefix" must be a path that starts with / and does not end with it'
  ],
  'a prefix that ends with a slash': [
    { prefix: '/media/' }, 'INVALID', 'Option "prefix" must be a path that starts with / and does not end with it'
  ],
  'a log level that is none': [{ logLevel: 1 }, 'INVALID', 'Option "logLevel" must be a string'],
  'no kinds': [
    { kinds: {} }, 'INVALID',
    'Option "kinds" must be an object of one or more kinds, with names of letters, digits, - and _'
  ],
  'kinds that are none': [
    { kinds: [audio] }, 'INVALID',
    'Option "kinds" must be an object of one or more kinds, with names of letters, digits, - and _'
  ],
  'a kind with a name that is not for URLs': [
    { kinds: { 'a/b': audio } }, 'INVALID',
    'Option "kinds" must be an object of one or more kinds, with names of letters, digits, - and _'
  ],
  'a kind that is none': [{ kinds: { audio: null } }, 'INVALID', 'Option "kinds.audio" must be an object'],
  'an unknown option of a kind': [
    { kinds: { audio: { ...audio, host: [] } } }, 'UNKNOWN', 'Unknown option "kinds.audio.host": did you mean "hosts"?'
  ],
  'a kind without resolve': [
    { kinds: { audio: { hosts: ['a'] } } }, 'INVALID', 'Option "kinds.audio.resolve" must be a function'
  ],
  'a kind without hosts': [
    { kinds: { audio: { resolve: audio.resolve } } }, 'INVALID',
    'Option "kinds.audio.hosts" must be a list of one or more hosts, each "name", "name:port" or "*.name"'
  ],
  'types that are text': [
    { kinds: { audio: { ...audio, types: 'audio/*' } } }, 'INVALID',
    'Option "kinds.audio.types" must be a regular expression'
  ],
  'a reader of errors that is none': [
    { kinds: { audio: { ...audio, readError: /gone/ } } }, 'INVALID',
    'Option "kinds.audio.readError" must be a function'
  ],
  'a chunk of 0': [
    { kinds: { audio: { ...audio, chunk: 0 } } }, 'INVALID',
    'Option "kinds.audio.chunk" must be a number of bytes, an integer of 1 or more'
  ],
  'a chunk that is no integer': [
    { kinds: { audio: { ...audio, chunk: 1.5 } } }, 'INVALID',
    'Option "kinds.audio.chunk" must be a number of bytes, an integer of 1 or more'
  ],
  'a timeout of 0': [
    { kinds: { audio: { ...audio, timeout: 0 } } }, 'INVALID',
    'Option "kinds.audio.timeout" must be a number of milliseconds from 1 to 2147483647'
  ],
  'a timeout that timers do not have': [
    { kinds: { audio: { ...audio, timeout: 2 ** 31 } } }, 'INVALID',
    'Option "kinds.audio.timeout" must be a number of milliseconds from 1 to 2147483647'
  ],
  'allowPrivate that is text': [
    { kinds: { audio: { ...audio, allowPrivate: 'no' } } }, 'INVALID',
    'Option "kinds.audio.allowPrivate" must be a boolean'
  ]
}
for (const hosts of [
  [], ['*'], ['*.'], [''], ['https://a'], ['a/b'], ['a b'], ['user@a'], ['a.*'], ['a:99999'], ['a:'], 'cdn.example', [1]
]) {
  wrong[`the hosts ${JSON.stringify(hosts)}`] = [
    { kinds: { audio: { ...audio, hosts } } }, 'INVALID',
    'Option "kinds.audio.hosts" must be a list of one or more hosts, each "name", "name:port" or "*.name"'
  ]
}
for (const [what, [options, code, message]] of Object.entries(wrong)) {
  t.test(`${what} is refused by name`, t =>
    t.rejects(build(t, options), { code: `SOURCE_ORIGIN_ERR_${code}_OPTION`, message }))
}

t.test('frozen options work', async t => {
  const app = await build(t, Object.freeze({
    signer, kinds: Object.freeze({ audio: Object.freeze({ ...audio, hosts: Object.freeze(audio.hosts) }) })
  }))
  t.match(app.mediaUrl('audio', Object.freeze({ id: '1' }), Object.freeze({ extension: 'mp3' })), '/media/audio/')
})

t.test('a media URL has kind, params and extension, and a signature for the whole time to live', async t => {
  const app = await build(t)
  const began = Math.floor(Date.now() / 1000)
  const url = new URL(app.mediaUrl('audio', { id: 'ä/1', quality: undefined }, { extension: 'mp3' }), 'http://host')
  const [, prefix, kind, params, name] = url.pathname.split('/')
  t.strictSame([prefix, kind, name], ['media', 'audio', 'audio.mp3'])
  t.strictSame(JSON.parse(Buffer.from(params!, 'base64url').toString()), { id: 'ä/1' })
  t.ok(Number(url.searchParams.get('expires')) >= began + 3600)
})

t.test('several proxies in one server know the kinds of each other, and no kind twice', async t => {
  const app = await build(t)
  await app.register(mediaProxy, { signer, prefix: '/more', kinds: { cover: audio } })
  const paths = ['audio', 'cover'].map(kind => app.mediaUrl(kind, { id: '1' }, { extension: 'x' }))
  t.match(paths, [/^\/media\/audio\//, /^\/more\/cover\//])
  await t.rejects(async () => app.register(mediaProxy, { signer, prefix: '/third', kinds: { cover: audio } }), {
    code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /"kinds\.cover" must be renamed/
  })
})

t.test('a steady media URL stays the same', async t => {
  const app = await build(t)
  let now = 3_600_000_000
  replace(t, Date, 'now', () => now)
  const url = () => app.mediaUrl('audio', { id: '1' }, { extension: 'mp3', stable: true })
  const first = url()
  now += 1_700_000
  t.equal(url(), first)
})

t.test('what cannot be a media URL is refused by name', async t => {
  const app: any = await build(t)
  const code = 'SOURCE_ORIGIN_ERR_INVALID_OPTION'
  t.throws(() => app.mediaUrl('cover', {}, { extension: 'jpg' }), { code, message: /"kind" must be one of audio/ })
  t.throws(() => app.mediaUrl('audio', { id: 1 }, { extension: 'mp3' }), { code, message: /"params.id"/ })
  t.throws(() => app.mediaUrl('audio', {}, { extension: '../x' }), { code, message: /"extension"/ })
  for (const none of [undefined, null, {}] as never[]) {
    t.throws(() => app.mediaUrl('audio', {}, none), { code, message: /"extension"/ })
  }
  t.throws(() => app.mediaUrl('audio', undefined as never, { extension: 'mp3' }), { code, message: /"params"/ })
})

t.test('params reach resolve as they were, however long', async t => {
  const upstream = await startUpstream(t, content)
  const given = { id: 'a/b?c#d%2F\u0000"\n🎵', long: 'x'.repeat(2000) }
  let found: object | undefined
  const { url } = await startProxy(t, upstream, {
    resolve (params) {
      found = params
      return { url: `${upstream.origin}/song` }
    }
  })
  t.equal((await load(url(given))).status, 200)
  t.strictSame(found, given)
})

t.test('what is not signed as it stands is 403 before anything else', async t => {
  const upstream = await startUpstream(t, content)
  let resolved = 0
  const { url } = await startProxy(t, upstream, {
    resolve () {
      resolved++
      return { url: `${upstream.origin}/song` }
    }
  })
  const right = url()
  const other = url({ id: '2' })
  const changed = [
    right.replace(/\?.*/, ''),
    right.replace(/\?.*/, '') + other.slice(other.indexOf('?')),
    right.replace('audio.mp3', 'audio.html'),
    right.replace('audio.mp3', 'x%2Faudio.mp3'),
    right.replace('audio.mp3', 'x/audio.mp3'),
    right.replace('/audio.mp3', ''),
    right.replace('/media/audio/', '/media/cover/'),
    right.replace(/expires=\d+/, expires => `${expires}0`),
    `${right}&expires=1`
  ]
  for (const url of changed) {
    const { status, body } = await load(url)
    t.equal(status, 403, url)
    t.match(JSON.parse(body.toString()), { code: 403, message: 'The signature of this URL is wrong', data: null })
  }
  t.equal(resolved, 0)
  t.equal((await load(right)).status, 200)
})

t.test('an expired URL is 403', async t => {
  const { url } = await startProxy(t, await startUpstream(t, content))
  const old = url()
  const now = Date.now()
  replace(t, Date, 'now', () => now + 3_602_000)
  const { status, body } = await load(old)
  t.equal(status, 403)
  t.match(JSON.parse(body.toString()), { message: 'This URL has expired' })
})

t.test('a signed URL of a kind that is no longer there is 404', async t => {
  const { app } = await startProxy(t, await startUpstream(t, content))
  t.equal((await load(app.listeningOrigin + signer.sign('/media/cover/e30/cover.jpg'))).status, 404)
})

t.test('the proxy works below the prefix of its host and its own', async t => {
  const upstream = await startUpstream(t, content)
  const app = fastify()
  t.teardown(() => app.close())
  let path = ''
  await app.register(async scope => {
    const kind = { resolve: () => ({ url: `${upstream.origin}/song` }), hosts: [upstream.host], allowPrivate: true }
    await scope.register(mediaProxy, { signer, prefix: '/files', kinds: { cover: kind }, logLevel: 'silent' })
    path = scope.mediaUrl('cover', {}, { extension: 'jpg' })
  }, { prefix: '/music' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.match(path, /^\/music\/files\/cover\//)
  t.equal(difference((await load(app.listeningOrigin + path)).body, content), '')
})

t.test('replicas with the same key open each other\'s URLs', async t => {
  const upstream = await startUpstream(t, content)
  const [one, other] = [await startProxy(t, upstream), await startProxy(t, upstream)]
  t.equal((await load(one.url().replace(one.app.listeningOrigin, other.app.listeningOrigin))).status, 200)
  const foreign = createSigner({ keys: [Buffer.alloc(32, 9)], ttl: 60_000 })
  t.equal((await load(other.app.listeningOrigin + foreign.sign(new URL(one.url()).pathname))).status, 403)
})

t.test('a request is logged with its outcome, and no query with it', async t => {
  const upstream = await startUpstream(t, content, (_request, nth) => nth === 1 ? { status: 403 } : {})
  const { url, app, lines } = await startProxy(t, upstream)
  await load(url())
  await app.close()
  t.match(lines.filter(({ media }) => media), [
    { level: 30, media: { kind: 'audio', params: { id: '1' }, status: 200, bytes: 1000, ms: Number, resolutions: 2 } }
  ])
  t.notMatch(JSON.stringify(lines), /signature|secret/)
})

t.test('a client that left before the answer is logged without a status', async t => {
  const upstream = await startUpstream(t, content, () => ({ hangAfter: 0 }))
  const { url, app, lines } = await startProxy(t, upstream)
  const asked = new Promise(resolve => upstream.events.once('request', resolve))
  const closed = new Promise(resolve => upstream.events.once('closed', resolve))
  const response = open(url()).catch(() => {})
  await asked
  app.server.closeAllConnections()
  await closed
  await response
  await app.close()
  t.match(lines.find(({ media }) => media), { media: { kind: 'audio', status: undefined, bytes: 0, resolutions: 1 } })
})

const types: [
  upstream: string | undefined, resolved: string | undefined, extension: string, sent: string | undefined,
  allowed?: RegExp
][] = [
  ['audio/flac', 'audio/mp4', 'mp3', 'audio/flac'],
  ['Audio/MPEG; x=y', undefined, 'mp3', 'Audio/MPEG; x=y'],
  ['application/octet-stream', 'audio/mp4', 'mp3', 'audio/mp4'],
  ['application/octet-stream', undefined, 'flac', 'audio/flac'],
  ['binary/octet-stream', undefined, 'M4A', 'audio/mp4'],
  ['application/octet-stream', undefined, 'xyz', 'application/octet-stream'],
  [undefined, 'audio/mp4', 'mp3', 'audio/mp4'],
  [undefined, undefined, 'webp', 'image/webp'],
  [undefined, undefined, 'xyz', undefined],
  [undefined, 'text/html', 'mp3', undefined],
  ['video/mp4', undefined, 'mp4', 'video/mp4'],
  ['application/ogg', undefined, 'ogg', 'application/ogg'],
  ['image/avif', undefined, 'avif', 'image/avif'],
  ['text/html', undefined, 'mp3', undefined],
  ['application/json', 'audio/mpeg', 'mp3', undefined],
  ['image/svg+xml', undefined, 'jpg', undefined],
  ['image/svg+xml', undefined, 'jpg', undefined, /./],
  ['text/html; charset=utf-8', undefined, 'jpg', undefined, /./],
  ['text/javascript', undefined, 'jpg', undefined, /./],
  ['audio/mpeg; x=y, Text/HTML', undefined, 'mp3', undefined],
  ['application/octet-stream', 'audio/mpeg; x=y, image/svg+xml', 'mp3', undefined],
  ['image/png', undefined, 'jpg', undefined, /^audio/],
  ['audio/mpeg', undefined, 'jpg', 'audio/mpeg', /audio/gy]
]
for (const [given, resolved, extension, sent, allowed] of types) {
  const title =
    `the type ${given} of .${extension}${resolved ? ` resolved as ${resolved}` : ''}${allowed ? ` with ${allowed}` : ''} is ${sent ?? 'refused'}`
  t.test(title, async t => {
    const upstream = await startUpstream(t, content, () =>
      given === undefined ? { without: 'content-type' } : { headers: { 'content-type': given } })
    const { app, lines } = await startProxy(t, upstream, {
      types: allowed, resolve: () => ({ url: `${upstream.origin}/song`, type: resolved })
    })
    const url = app.listeningOrigin + app.mediaUrl('audio', {}, { extension })
    // Twice, since regular expressions may have a memory.
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await load(url)
      t.equal(status, sent === undefined ? 502 : 200)
      if (sent !== undefined) t.equal(headers['content-type'], sent)
    }
    const reason =
      `The upstream failed: The type ${given ?? 'that the upstream does not tell'} is none of the option "types"`
    t.strictSame(lines.flatMap(({ err }) => err?.message ?? []), sent === undefined ? [reason, reason] : [])
  })
}

for (const hangAfter of [1000, 100_000]) {
  t.test(`an answer of another type that hangs after ${hangAfter} bytes gives its connection back`, async t => {
    const headers = { 'content-type': 'text/html' }
    const upstream = await startUpstream(t, song(200_000), () => ({ headers, hangAfter }))
    const closed = once(upstream.events, 'closed')
    const { load } = await startProxy(t, upstream, { timeout: 600_000 })
    t.equal((await load()).status, 502)
    await closed
  })
}

t.test('an answer of another type is the error that the kind reads in its first 64 KiB, else a 502', async t => {
  const read: string[] = []
  let body = 'gone'
  const upstream = await startUpstream(t, content, () =>
    ({ body: Buffer.from(body), headers: { 'content-type': 'application/json' } }))
  const { load } = await startProxy(t, upstream, {
    readError (text) {
      read.push(text)
      return text === 'gone' ? new errors.NotFoundError('The song is gone') : undefined
    }
  })
  const gone = await load()
  t.equal(gone.status, 404)
  t.strictSame(JSON.parse(gone.body.toString()), { code: 404, message: 'The song is gone', data: null })
  t.equal((await load({}, 'HEAD')).status, 502, 'nothing is known of it')
  body = 'x'.repeat(1_000_000)
  t.equal((await load()).status, 502)
  t.strictSame(read.map(({ length }) => length), [4, 0, 65_536])
})
