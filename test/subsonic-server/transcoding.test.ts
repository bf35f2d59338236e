import type { TrackQuality } from 'fastify-source-origin'
import type { Transcoder, TranscodeFormat } from 'fastify-source-origin/media'
import t, { type Test } from 'tap'
import fastify from 'fastify'
import { extras } from 'fastify-source-origin'
import { ask, get, login, queryOf, serve, type Query } from './helper.ts'

const file = (key: string, format: string, bitrate: number | null) => ({ key, label: key, size: 1, bitrate, format })
const flac = file('best', 'flac', 900_000)
const alac = file('best', 'alac', null)
const mp3 = file('high', 'mp3', 256_000)
const ogg = file('low', 'ogg', 96_000)
/** What a source itself makes. */
const ofSource = (key: string, format: string, bitrate: number) => ({ ...file(key, format, bitrate), size: 0 })
const [standard, saver] = [ofSource('standard', 'mp3', 192_000), ofSource('saver', 'opus', 96_000)]
const asMp3 = (kilobits: number, of = 'best') =>
  ({ profile: { format: 'mp3', bitrate: kilobits * 1000 }, startSeconds: 0, isWhole: false, of })

/** A source of one track, and a transcoder that answers with what it was asked for. */
async function source (
  t: Test, qualities: TrackQuality[] | undefined, formats: TranscodeFormat[] = ['mp3', 'opus', 'aac', 'flac'],
  more: object = {}, known: object | null = { samplingRate: 44_100, channelCount: 2, bitDepth: 16 }
) {
  const track = {
    id: 'a',
    title: 'A',
    artists: [],
    album: { id: '', name: '', coverUrl: '' },
    durationMs: 1,
    qualities,
    ...known && { [extras]: known }
  }
  const host = fastify()
  t.teardown(() => host.close())
  let opened = 0
  host.get('/:quality', ({ params }, reply) => {
    const { quality } = params as { quality: string }
    if (quality === 'old' && opened++ === 0) return reply.code(403).send()
    return reply.type(quality === 'page' ? 'text/html' : 'audio/flac').send(quality)
  })
  const origin = await host.listen({ port: 0, host: '127.0.0.1' })
  const sent: object[] = []
  const transcoder: Pick<Transcoder, 'formats' | 'send'> = {
    formats,
    async send (reply, { open, key: _key, account: _account, ...asked }) {
      let body = ''
      for await (const part of await open(new AbortController().signal) as AsyncIterable<Buffer>) body += part
      sent.push({ ...asked, of: body })
      return reply.send('made')
    }
  }
  const adapter = {
    getTrackDetail: () => track, getTrackUrl: (_id: string, quality = 'any') => ({ url: `${origin}/${quality}`, quality })
  }
  const app = await serve(t, { adapter, allowPrivate: true, transcoder, ...more })
  const stream = async (query: Query, method = 'stream') => {
    sent.length = 0
    const { statusCode, headers, body } = await get(app, method, { f: 'json', id: 'tr-a', mediaId: 'tr-a', ...query })
    return statusCode === 200 ? sent[0] ?? body : [statusCode, headers.location ?? body]
  }
  const decide = async (abilities?: unknown, query: Query = { mediaType: 'song' }) => {
    const answer = await app.inject({
      method: 'POST',
      url: `/rest/getTranscodeDecision?${queryOf({ ...login, f: 'json', mediaId: 'tr-a', ...query })}`,
      headers: { 'content-type': 'application/json' },
      payload: typeof abilities === 'string' ? abilities : JSON.stringify(abilities)
    })
    return answer.json()['subsonic-response']
  }
  return { app, stream, decide }
}

const whole = { startSeconds: 0, isWhole: false }
type Wish = readonly [qualities: TrackQuality[] | undefined, query: Query, got: object | string]

/** The name of a quality is sent as it is; else it is what is made of one. */
const wishes: readonly Wish[] = [
  [[flac, mp3], {}, 'best'],
  [[flac, mp3], { maxBitRate: 320 }, 'high'],
  [[flac, mp3], { maxBitRate: 0 }, 'best'],
  [[flac, mp3], { maxBitRate: 128 }, { profile: { format: 'mp3', bitrate: 128_000 }, ...whole, of: 'best' }],
  [[mp3], { maxBitRate: 320 }, 'high'],
  [[mp3], { maxBitRate: 96, format: 'opus' }, { profile: { format: 'opus', bitrate: 96_000 }, ...whole, of: 'high' }],
  [[mp3], { maxBitRate: 320, format: 'opus' }, { profile: { format: 'opus', bitrate: 256_000 }, ...whole, of: 'high' }],
  [[ogg], { format: 'mp3' }, { profile: { format: 'mp3', bitrate: 96_000 }, ...whole, of: 'low' }],
  [[ogg], { maxBitRate: 128 }, 'low'],
  [[ogg], { format: 'flac' }, 'low'],
  [[ogg], { format: 'wma' }, 'low'],
  [[alac], { format: 'flac' }, { profile: { format: 'flac' }, ...whole, of: 'best' }],
  [[alac], { format: 'flac', maxBitRate: 128 }, { profile: { format: 'mp3', bitrate: 128_000 }, ...whole, of: 'best' }],
  [[flac], { format: 'raw', maxBitRate: 64, timeOffset: 9 }, 'best'],
  [[flac], { timeOffset: 9 }, { profile: { format: 'flac' }, startSeconds: 9, isWhole: false, of: 'best' }],
  [[mp3], { timeOffset: 9 }, {
    profile: { format: 'mp3', bitrate: 256_000 }, startSeconds: 9, isWhole: false, of: 'high'
  }],
  [[flac], { format: 'mp3', estimateContentLength: true },
    { profile: { format: 'mp3', bitrate: 192_000 }, startSeconds: 0, isWhole: true, of: 'best' }],
  ...[32, 64, 96, 128, 160, 192, 256, 320].map((kilobits): Wish =>
    [[flac, standard, saver], { maxBitRate: kilobits }, asMp3(kilobits)]),
  [[flac, ogg], { maxBitRate: 128 }, asMp3(128)],
  [[file('best', 'opus', 128_000)], { maxBitRate: 64 }, asMp3(64)],
  [[flac, standard, saver], { maxBitRate: 160, format: 'opus' },
    { profile: { format: 'opus', bitrate: 160_000 }, ...whole, of: 'best' }],
  [[flac, standard, saver], {}, 'best'],
  [[standard, saver], { maxBitRate: 192 }, 'standard'],
  [[standard, saver], { maxBitRate: 192, estimateContentLength: true }, { ...asMp3(192, 'standard'), isWhole: true }],
  [[standard, saver], { estimateContentLength: true }, 'standard'],
  [[file('best', 'ape', 900_000)], {}, { profile: { format: 'flac' }, ...whole, of: 'best' }],
  [[file('best', 'ape', 900_000)], { maxBitRate: 128 }, asMp3(128)],
  [[file('best', 'ape', 900_000)], { format: 'ape' }, 'best'],
  [[file('best', 'wma', 64_000)], {}, asMp3(64)],
  [[file('best', 'wma', 64_000)], { format: 'raw' }, 'best'],
  [[standard, file('best', 'ac3', 96_000)], { format: 'raw' }, 'best'],
  [undefined, {}, 'any'],
  [undefined, { maxBitRate: 64 }, { profile: { format: 'mp3', bitrate: 64_000 }, ...whole, of: 'any' }]
]
for (const [qualities, query, got] of wishes) {
  const of = qualities?.map(({ format, bitrate }) => `${format} of ${bitrate}`).join(', ') ?? 'something'
  t.test(`${of}, asked for with ${queryOf(query) || 'nothing'}`, async t => {
    const { stream } = await source(t, qualities)
    t.same(await stream(query), got)
  })
}

t.test('without FLAC, or with nothing else, what can be made is', async t => {
  const others = await source(t, [alac], ['mp3'])
  t.match(await others.stream({ format: 'flac', maxBitRate: 64 }), { profile: { format: 'mp3', bitrate: 64_000 } })
  const { stream } = await source(t, [alac], ['flac'])
  t.equal(await stream({ maxBitRate: 64 }), 'best')
})

t.test('without a transcoder nothing is told of one, and audio is as the source has it', async t => {
  for (const [formats, more] of [[[], {}], [['mp3'], { transcoder: undefined }]] as [TranscodeFormat[], object][]) {
    const { app, stream, decide } = await source(t, [flac], formats, more)
    t.equal(await stream({ format: 'mp3', maxBitRate: 64 }), 'best')
    t.match(await decide({}), { error: { code: 0 } })
    const { openSubsonicExtensions } = await ask(app, 'getOpenSubsonicExtensions')
    t.notOk(openSubsonicExtensions.some(({ name }: { name: string }) => /transcod/.test(name)))
  }
})

t.test('with one, apps are told of it', async t => {
  const { app } = await source(t, [flac])
  const { openSubsonicExtensions } = await ask(app, 'getOpenSubsonicExtensions')
  const names = openSubsonicExtensions.map(({ name }: { name: string }) => name)
  t.same(names.filter((name: string) => /^transcod/.test(name)), ['transcodeOffset', 'transcoding'])
})

t.test('audio whose server transcodes is asked of that one, other audio is fetched', async t => {
  const transcodedUrl = (url: string, { format }: { format: string }, { startSeconds }: { startSeconds?: number }) =>
    url.endsWith('best') ? `${url}?${format}&${startSeconds}` : undefined
  const { stream } = await source(t, [flac, ogg], undefined, { media: 'redirect', transcodedUrl })
  t.match(await stream({ format: 'mp3', timeOffset: 3 }), [302, /\/best\?mp3&3$/])
  t.match(await stream({ format: 'mp3', timeOffset: '2.7504' }), [302, /\/best\?mp3&2\.75$/])
  const other = await source(t, [ogg], undefined, { media: 'redirect', transcodedUrl })
  t.match(await other.stream({ format: 'mp3' }), { of: 'low' })
})

t.test('a URL that is refused is found again', async t => {
  const { stream } = await source(t, [{ ...flac, key: 'old' }])
  t.match(await stream({ format: 'mp3' }), { of: 'old' })
})

t.test('what is no audio is not transcoded', async t => {
  const { stream } = await source(t, [{ ...flac, key: 'page' }])
  t.match(await stream({ format: 'mp3' }), [502])
})

const direct = (containers: string[], audioCodecs: string[] = [], more: object = {}) =>
  ({ directPlayProfiles: [{ containers, audioCodecs, protocols: ['http'], ...more }] })
const profiles = (...of: [container: string, audioCodec: string, protocol?: string][]) => ({
  transcodingProfiles: of.map(([container, audioCodec, protocol = 'http']) => ({ container, audioCodec, protocol }))
})
const limitation = (codec: string, name: string, comparison: string, ...values: string[]) =>
  ({ codecProfiles: [{ type: 'AudioCodec', name: codec, limitations: [{ name, comparison, values }] }] })
const plays = { canDirectPlay: true, canTranscode: false }
const nothing = { canDirectPlay: false, canTranscode: false, errorReason: /./ }
const made = (codec: string, audioBitrate?: number) =>
  ({ canDirectPlay: false, canTranscode: true, transcodeStream: { protocol: 'http', codec, audioBitrate } })

const decisions: readonly [title: string, qualities: TrackQuality[], abilities: object, decision: object][] = [
  ['plays the file', [flac], direct(['flac']), { ...plays, sourceStream: { codec: 'flac', audioBitrate: 900_000 } }],
  ['plays anything', [alac], direct([]), plays],
  ['plays Apple Lossless in MP4', [alac], direct(['mp4'], ['alac']), plays],
  ['knows another codec in it', [alac], direct(['m4a'], ['aac']), { ...nothing, transcodeReason: [/codec/] }],
  ['knows another container', [flac], direct(['mp3']), { ...nothing, transcodeReason: [/container/] }],
  ['wants HLS', [flac], direct([], [], { protocols: ['hls'] }), { ...nothing, transcodeReason: [/protocol/] }],
  ['has one channel', [flac], direct([], [], { maxAudioChannels: 1 }), { ...nothing, transcodeReason: [/channels/] }],
  ['takes fewer bits', [flac], { ...direct([]), maxAudioBitrate: 320_000, ...profiles(['mp3', 'mp3']) },
    made('mp3', 320_000)],
  ['plays another quality', [flac, mp3], { ...direct(['mp3']), ...profiles(['ogg', 'opus']) }, made('mp3', 256_000)],
  ['plays nothing of it', [flac], profiles(['ogg', 'opus'], ['mp3', 'mp3']), made('opus', 128_000)],
  ['asks for less', [flac], { ...profiles(['', 'aac']), maxTranscodingAudioBitrate: 100_000 }, made('aac', 96_000)],
  ['names AAC as its container', [flac], profiles(['aac', 'aac']),
    { canTranscode: true, transcodeStream: { container: 'm4a', codec: 'aac', audioBitrate: 192_000 } }],
  ['asks for more than there is', [ogg], { ...profiles(['mp3', '']), maxTranscodingAudioBitrate: 320_000 },
    made('mp3', 96_000)],
  ['takes FLAC', [alac], profiles(['flac', 'flac']), made('flac')],
  ['takes FLAC of what is lossy', [ogg], profiles(['flac', 'flac']), nothing],
  ['wants what nobody writes', [flac], profiles(['wma', 'wma'], ['mp3', 'mp3', 'hls']), nothing],
  ['takes so many bits of a codec', [flac],
    { ...profiles(['mp3', 'mp3'], ['ogg', 'opus']), ...limitation('mp3', 'audioBitrate', 'LessThanEqual', '128000') },
    made('opus', 128_000)],
  ['takes 48 kHz', [flac], { ...direct([]), ...limitation('flac', 'audioSamplerate', 'Equals', '48000') },
    { ...nothing, transcodeReason: ['audioSamplerate is not supported'] }],
  ['takes all but 16 bits', [flac], { ...direct([]), ...limitation('flac', 'audioBitdepth', 'NotEquals', '16') },
    nothing],
  ['takes 3 channels', [flac], { ...direct([]), ...limitation('flac', 'audioChannels', 'GreaterThanEqual', '3') },
    nothing],
  ['limits what nobody knows', [flac], { ...direct([]), ...limitation('flac', 'audioProfile', 'Is', 'LC') }, plays],
  ['limits nothing', [flac], { ...direct([]), ...limitation('flac', 'audioChannels', 'LessThanEqual') }, plays],
  ['limits nothing below', [flac], { ...direct([]), ...limitation('flac', 'audioChannels', 'GreaterThanEqual') }, plays]
]
for (const [title, qualities, abilities, decision] of decisions) {
  t.test(`an app that ${title}`, async t => {
    const { decide } = await source(t, qualities)
    t.match((await decide(abilities)).transcodeDecision, decision)
  })
}

t.test('what an app tells of itself may be anything', async t => {
  const { decide } = await source(t, [flac])
  const nonsense = { directPlayProfiles: 3, transcodingProfiles: [null], codecProfiles: [{ name: 'flac' }] }
  const unlimited = { name: 'flac', limitations: [{ name: 'audioChannels', comparison: 'Equals' }] }
  for (const odd of ['{', '[]', 'null', JSON.stringify(nonsense), JSON.stringify({ codecProfiles: [unlimited] })]) {
    t.match((await decide(odd)).transcodeDecision, nothing)
  }
  const unknown = await source(t, [], undefined, {}, null)
  t.match((await unknown.decide({})).transcodeDecision, nothing)
  t.match((await unknown.decide(profiles(['ogg', 'opus']))).transcodeDecision, made('opus', 128_000))
  const any = { transcodingProfiles: [{ audioCodec: 'aac' }, { container: 'mp3' }] }
  t.match((await unknown.decide(any)).transcodeDecision, made('aac', 192_000))
  t.match(await decide({}, { mediaType: 'podcast' }), { error: { code: 0 } })
  t.match((await decide(direct([]), {})).transcodeDecision, plays)
})

t.test('the stream of a decision is what it said, from any time on', async t => {
  const { stream, decide } = await source(t, [flac, mp3])
  const params = async (abilities: object) => (await decide(abilities)).transcodeDecision.transcodeParams
  const opus = await params(profiles(['ogg', 'opus']))
  const play = (transcodeParams: string | undefined, offset?: number) =>
    stream({ mediaType: 'song', transcodeParams, offset }, 'getTranscodeStream')
  t.same(await play(opus), { profile: { format: 'opus', bitrate: 128_000 }, startSeconds: 0, of: 'best' })
  t.match(await play(opus, 7.25), { profile: { format: 'opus' }, startSeconds: 7.25, of: 'best' })
  const high = await params(direct(['mp3']))
  t.equal(await play(high), 'high')
  t.match(await play(high, 7), { profile: { format: 'mp3', bitrate: 256_000 }, startSeconds: 7, of: 'high' })
  const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  t.equal(await play(text({})), 'any')
  const wrong = [{ quality: 1 }, { profile: 1 }, { profile: { format: 'mp3', bitrate: 'a' } }]
  for (const params of ['?', ...wrong.map(text)]) t.match(await play(params), [400])
  t.match(await play(undefined), /"code":10/)
})
