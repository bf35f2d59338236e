import { createSigner, mediaProxy, type MediaKind, type Transcoder } from 'fastify-source-origin/media'
import t, { type Test } from 'tap'
import { song, startUpstream } from '../media/helper.ts'
import { get, login, queryOf, serve } from './helper.ts'

const signer = createSigner({ keys: [Buffer.alloc(32, 1)], ttl: 3_600_000 })
const bytes = song(1000)

/** A source whose media this server serves under `/media`; nothing listens, so it cannot request them from itself. */
async function source (t: Test, { kind, ...options }: { kind?: Partial<MediaKind>, [option: string]: unknown }) {
  const upstream = await startUpstream(t, bytes)
  const resolve = () => ({ url: `${upstream.origin}/song` })
  const kinds = {
    audio: { resolve, hosts: [upstream.host], allowPrivate: true, ...kind },
    files: { root: 'test/media', file: () => 'helper.ts', types: /./ }
  }
  let made = ''
  const transcoder: Pick<Transcoder, 'formats' | 'send'> = {
    formats: ['mp3'],
    async send (reply, { open }) {
      made = ''
      for await (const part of await open(new AbortController().signal) as AsyncIterable<Buffer>) made += part.length
      return reply.send('transcoded')
    }
  }
  const scope = { urlOf: (_id: string): string => '' }
  const adapter = {
    getTrackDetail: (id: string) => ({
      id, title: id, artists: [], album: { id: 'b', name: 'B', coverUrl: scope.urlOf('audio') }, durationMs: 1000
    }),
    getTrackUrl: (id: string) => ({ url: scope.urlOf(id), quality: 'any' })
  }
  const app = await serve(t, { adapter, transcoder, media: 'proxy', ...options })
  await app.register(async media => {
    await media.register(mediaProxy, { signer, kinds, prefix: '/elsewhere' })
    scope.urlOf = id => id === 'other'
      ? 'http://localhost:80/elsewhere/audio/e30/audio.mp3?signature=wrong'
      : 'http://localhost:80' + media.mediaUrl(id === 'files' ? 'files' : 'audio', { id }, { extension: 'mp3' })
  })
  return { app, made: () => made }
}

for (const [what, query, status, body] of [
  ['a song of this server is opened as its kind', { id: 'tr-a' }, 200, bytes],
  ['a range of it is too', { id: 'tr-a', range: 'bytes=0-9' }, 206, bytes.subarray(0, 10)],
  ['a cover of it is too', { id: 'al-b' }, 200, bytes],
  ['a song of it is transcoded so', { id: 'tr-a', maxBitRate: '64', format: 'mp3' }, 200, Buffer.from('transcoded')],
  ['without a valid signature it is what anybody could request', { id: 'tr-other' }, 502, undefined]
] as const) {
  t.test(what, async t => {
    const { app } = await source(t, what.includes('cover') ? { kind: { types: /audio/ } } : {})
    const { range, ...parameters }: Record<string, string> & { id: string } = query
    const method = query.id.startsWith('al') ? 'getCoverArt' : 'stream'
    if (method === 'getCoverArt') await get(app, 'getSong', { id: 'tr-a' })
    const { statusCode, rawPayload } = await app.inject({
      url: `/rest/${method}?${queryOf({ ...login, ...parameters })}`, headers: { ...range && { range } }
    })
    t.equal(statusCode, status)
    if (body !== undefined) t.ok(rawPayload.equals(body))
  })
}

t.test('files that this server sends are sent so, and scaled', async t => {
  const { app } = await source(t, {})
  t.match(await get(app, 'stream', { id: 'tr-files' }), { statusCode: 200, body: /export/ })
})

t.test('media from a private address are fetched from the hosts of allowPrivate only', async t => {
  const [friend, other] = [await startUpstream(t, bytes), await startUpstream(t, bytes)]
  const app = await serve(t, {
    adapter: { getTrackUrl: (id: string) => ({ url: `${id === 'friend' ? friend.origin : other.origin}/song`, quality: '' }) },
    allowPrivate: [friend.host],
    media: 'proxy'
  })
  t.equal((await get(app, 'stream', { id: 'tr-friend' })).statusCode, 200)
  t.equal((await get(app, 'stream', { id: 'tr-other' })).statusCode, 502)
})
