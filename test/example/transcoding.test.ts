import fs, { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { TrackFile } from '../../example/catalogue/catalogue-items.ts'
import { wantedOf } from '../../example/media/audio-names.ts'
import { heard, makeSound } from '../media/sound.ts'
import { replaceExports } from '../replace.ts'
import { skipWithout } from '../services.ts'
import { as, command, folder, start, token, tokenIn } from './helper.ts'

const sounds = mkdtempSync(join(tmpdir(), 'sounds-'))
t.teardown(() => rmSync(sounds, { recursive: true, force: true }))
if (!skipWithout('ffmpeg', t)) {
  const noise = ['-af', 'volume=0.9,aeval=val(0)+0.004*(random(0)-0.5)', '-metadata']
  makeSound(sounds, 'flac.flac', 8, [...noise, 'title=any flac'])
  makeSound(sounds, 'alac.m4a', 8, [...noise, 'title=any alac', '-c:a', 'alac'])
  makeSound(sounds, 'mp3.mp3', 8, ['-b:a', '128k', '-metadata', 'title=any mp3'])
}

/** The folder with a FLAC, an Apple Lossless and an MP3 file. */
async function library (t: Test, env: Record<string, string> = {}) {
  const [MUSIC_DIR, DATA_DIR] = [folder(t), folder(t)]
  for (const name of readdirSync(sounds)) copyFileSync(join(sounds, name), join(MUSIC_DIR, name))
  const source = await start(t, { MUSIC_DIR, DATA_DIR, TRANSCODING: 'true', ...env })
  const tracks = async (from = source) => {
    const { items } = await from.data('/v1/search/tracks?keyword=any')
    return Object.fromEntries(items.map((track: any) => [track.title.slice(4), track]))
  }
  /** What a player gets of a URL, in a redirect of `/rest` too. */
  const load = (url: string, headers = {}) => {
    const { pathname, search } = new URL(url, 'http://localhost/rest/stream')
    return source.call(pathname + search, { headers })
  }
  const urlOf = async ({ id }: { id: string }, quality: string, from = source) =>
    from.data(`/v1/track/url?id=${id}&quality=${quality}`)
  const stream = async ({ id }: { id: string }, query: object, p = token) =>
    (await source.call(`/rest/stream?${new URLSearchParams({ u: 'x', p, c: 'app', id: `tr-${id}`, ...query })}`))
      .headers.location as string
  return { source, MUSIC_DIR, DATA_DIR, tracks, load, urlOf, stream }
}

const offered = ({ qualities }: { qualities: { key: string, format: string }[] }) =>
  qualities.map(({ key, format }) => `${key} ${format}`)

t.test('tracks have smaller qualities that their files do not, and the URL of one tells what comes', async t => {
  const { source, tracks, load, urlOf } = await library(t)
  const { flac, alac, mp3 } = await tracks()
  const { qualityMap } = await source.data('/v1/status')
  t.same(qualityMap.map(({ key }: { key: string }) => key), ['lossless', 'standard', 'saver'])
  t.same(offered(flac), ['lossless flac', 'standard mp3', 'saver opus'])
  t.same(offered(alac), ['lossless alac', 'standard mp3', 'saver opus'])
  t.same(offered(mp3), ['standard mp3', 'saver opus'], 'its own')
  for (const [quality, format, bitrate, type] of [
    ['saver', 'opus', 96_000, 'audio/ogg'], ['standard', 'mp3', 192_000, 'audio/mpeg']
  ] as const) {
    const told = await urlOf(flac, quality)
    t.match(told, { quality, format, bitrate, size: 0, url: new RegExp(`/${quality}-${bitrate / 1000}\\.${format}\\?`) })
    const { headers, rawPayload } = await load(told.url)
    t.equal(headers['content-type'], type)
    const { from, length } = heard(rawPayload)
    t.ok(Math.abs(from) < 0.1 && Math.abs(length - 8) < 0.1, `${from} ${length}`)
    const part = await load(told.url, { range: 'bytes=-100' })
    t.same([part.statusCode, part.rawPayload], [206, rawPayload.subarray(-100)])
  }
  const { url: fresh } = await urlOf(alac, 'standard')
  const whole = await load(`${fresh}&whole=true`, { range: 'bytes=0-' })
  const { length } = whole.rawPayload
  t.match([whole.statusCode, whole.headers['content-range']], [206, `bytes 0-${length - 1}/${length}`])
  t.match(await urlOf(mp3, 'standard'), { bitrate: 128_000, url: /standard\.mp3/ }, 'the file')
  const { url } = await source.data(`/v1/track/url?id=${alac.id}`)
  t.match(url, /lossless\.m4a/, 'without a wish the file')
})

t.test('an audio name that its track no longer has starts no transcoding', t => {
  const best = { lossless: false } as TrackFile
  const gone = [['standard.mp3', undefined], ['lossless.flac', best], ['lossless.flac', undefined]] as const
  for (const [name, file] of gone) {
    t.equal(wantedOf(name, undefined, file, {}), undefined)
  }
  t.match(wantedOf('lossless.flac', undefined, { ...best, lossless: true }, {}), { profile: { format: 'flac' } })
  t.end()
})

t.test('Subsonic apps get the format, the bits and the time that they ask for, and files as they are', async t => {
  const { tracks, load, stream } = await library(t)
  const { flac, mp3 } = await tracks()
  const opus = await load(await stream(flac, { maxBitRate: 96, format: 'opus' }))
  t.equal(opus.headers['content-type'], 'audio/ogg')
  const late = await load(await stream(flac, { format: 'mp3', timeOffset: 3, estimateContentLength: true }))
  t.equal(late.headers['content-length'], String(late.rawPayload.length))
  t.ok(Math.abs(heard(late.rawPayload).from - 3) < 0.1)
  t.match(await stream(mp3, { maxBitRate: 320 }), /standard\.mp3\?(?!.*format)/)
  t.match(await stream(flac, { format: 'raw', maxBitRate: 64 }), /lossless\.flac\?(?!.*format)/)
})

t.test('WAV and AIFF of floating point, 24 bits or many channels are lossless: an app gets FLAC of them', async t => {
  const MUSIC_DIR = folder(t)
  const codecs = {
    'float.wav': 'pcm_f32le', 'double.wav': 'pcm_f64le', '24.wav': 'pcm_s24le', 'float.aiff': 'pcm_f32be'
  }
  for (const [name, codec] of Object.entries(codecs)) {
    makeSound(MUSIC_DIR, name, 1, ['-c:a', codec, '-ac', name === '24.wav' ? '6' : '2'])
  }
  makeSound(MUSIC_DIR, 'law.wav', 1, ['-c:a', 'pcm_alaw'])
  const { source, load, stream } = await library(t, { MUSIC_DIR })
  for (const name of [...Object.keys(codecs), 'law.wav']) {
    const { items } = await source.data(`/v1/search/tracks?keyword=${name.replace(/\.\w+$/, '')}`)
    const made = await Promise.all(items.map(async (track: { id: string }) =>
      (await load(await stream(track, { format: 'flac' }))).headers['content-type']))
    const type = name === 'law.wav' ? 'audio/wav' : 'audio/flac'
    t.ok(items.length > 0 && made.every(one => one === type), `${name}: ${made}`)
  }
})

t.test('HEAD tells the length of a transcoding to an app that asks for it', async t => {
  const { source, tracks, load } = await library(t)
  const { flac } = await tracks()
  const query = { u: 'x', p: token, c: 'app', id: `tr-${flac.id}`, maxBitRate: '64', estimateContentLength: 'true' }
  const { headers } = await source.call(`/rest/stream?${new URLSearchParams(query)}`, { method: 'HEAD' })
  const { pathname, search } = new URL(String(headers.location), 'http://localhost/rest/stream')
  const head = await source.call(pathname + search, { method: 'HEAD' })
  const whole = await load(String(headers.location))
  t.same([head.statusCode, head.headers['content-length'], head.rawPayload.length],
    [200, String(whole.rawPayload.length), 0])
})

t.test('nobody gets more of a URL than it was signed for', async t => {
  const { tracks, load, urlOf } = await library(t)
  const { flac, mp3 } = await tracks()
  const length = async (url: string) => (await load(url)).rawPayload.length
  const { url } = await urlOf(flac, 'saver')
  t.equal(await length(`${url}&format=opus&bitrate=320000`), await length(url))
  t.equal(await length(`${url}&format=flac`), await length(url))
  t.ok(await length(`${url}&format=mp3&bitrate=64000`) < 8 * 64_000 / 8 * 1.1)
  const lossy = (await urlOf(mp3, 'standard')).url
  t.equal(await length(`${lossy}&format=flac`), await length(lossy))
  t.ok(await length(`${lossy}&format=mp3&bitrate=320000`) < 8 * 128_000 / 8 * 1.1)
  const part = await load(`${(await urlOf(flac, 'lossless')).url}&format=flac&start=2`)
  t.equal(part.headers['content-type'], 'audio/flac')
  t.equal((await load(url.replace('saver-96', 'saver-320'))).statusCode, 403)
})

t.test('an account with few bits gets what is made of larger files, by all protocols', async t => {
  const { source, DATA_DIR, tracks, load, stream } = await library(t)
  const kims = tokenIn(await command(DATA_DIR, ['add', 'kim']))
  await command(DATA_DIR, ['allow', 'kim', 'bitrate', '70'])
  const kim = as(source, kims)
  const { flac, mp3 } = await tracks(kim)
  for (const track of [flac, mp3]) {
    t.same(track.qualities.map(({ bitrate }: { bitrate: number }) => bitrate), [64_000, 64_000])
    const urls = [(await kim.data(`/v1/track/url?id=${track.id}`)).url, await stream(track, { maxBitRate: 320 }, kims)]
    for (const url of urls) {
      const { statusCode, rawPayload } = await load(url)
      t.equal(statusCode, 200)
      t.ok(rawPayload.length < 8 * 64_000 / 8 * 1.2, `${rawPayload.length}`)
    }
  }
})

t.test('where nothing can be stored, tracks are transcoded all the same', async t => {
  const TRANSCODED_DIR = join(folder(t), 'file')
  writeFileSync(TRANSCODED_DIR, '')
  const { source, tracks, load, urlOf } = await library(t, { TRANSCODED_DIR })
  const { url } = await urlOf((await tracks()).flac, 'saver')
  const { length } = heard((await load(url)).rawPayload)
  t.ok(Math.abs(length - 8) < 0.1, `${length}`)
  t.match(source.lines.filter(({ msg }) => msg === 'transcodings not stored'), [{ reason: /ENOTDIR/ }])
})

t.test('an error of the system does not tell the path of the machine', async t => {
  const { MUSIC_DIR, tracks, load, urlOf } = await library(t)
  const { url } = await urlOf((await tracks()).flac, 'saver')
  replaceExports(t, fs.promises, { open: async () => { throw new Error(`EACCES: ${MUSIC_DIR}`) } })
  const answer = await load(url)
  t.equal(answer.statusCode, 500)
  t.match(answer.json(), { code: 500, message: /^Internal server error \(request [\w-]+\)$/, data: null })
})

t.test('a track whose file is gone is told', async t => {
  const { MUSIC_DIR, tracks, load, urlOf } = await library(t)
  const { flac } = await tracks()
  const { url } = await urlOf(flac, 'saver')
  rmSync(join(MUSIC_DIR, 'flac.flac'))
  t.equal((await load(url)).statusCode, 404)
})

t.test('TRANSCODING=false, or a machine without ffmpeg, leaves files as they are', async t => {
  const off = await library(t, { TRANSCODING: 'false' })
  t.same(offered((await off.tracks()).flac), ['lossless flac'])
  t.match(await off.stream((await off.tracks()).flac, { maxBitRate: 64, format: 'mp3' }), /lossless\.flac/)
  const { PATH } = process.env
  process.env.PATH = folder(t)
  t.teardown(() => { process.env.PATH = PATH })
  const without = await library(t)
  process.env.PATH = PATH
  t.same(offered((await without.tracks()).flac), ['lossless flac'])
  t.equal(without.source.lines.filter(({ msg }) => msg === 'ffmpeg unavailable').length, 1)
})
