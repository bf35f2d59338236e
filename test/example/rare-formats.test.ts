import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { runAlone } from '../../example/accounts/run-alone.ts'
import { readSettings } from '../../example/start/settings.ts'
import { makeApe, makeDsf } from '../media/rare-files.ts'
import { heard, makeSound } from '../media/sound.ts'
import { skipWithout } from '../services.ts'
import { folder, pathOf, put, start, token, until, write } from './helper.ts'

const seconds = 3
/** What is made of a file for players that name no format, by the extension of the file. */
const expected: Readonly<Record<string, { quality: string, format: string }>> = {
  aif: { quality: 'lossless', format: 'flac' },
  aiff: { quality: 'lossless', format: 'flac' },
  ape: { quality: 'lossless', format: 'flac' },
  dsf: { quality: 'lossless', format: 'flac' },
  wma: { quality: 'standard', format: 'mp3' },
  wv: { quality: 'lossless', format: 'flac' }
}

const sounds = mkdtempSync(join(tmpdir(), 'rare-'))
t.teardown(() => rmSync(sounds, { recursive: true, force: true }))
const isSkipped = skipWithout('ffmpeg', t)
if (!isSkipped) {
  const tags = ['-metadata', 'title=Tone', '-metadata', 'artist=Odd', '-metadata', 'album=Formats']
  makeSound(sounds, '01 Tone.aiff', seconds, [...tags, '-write_id3v2', '1'])
  makeSound(sounds, '02 Tone.aif', seconds, [...tags, '-write_id3v2', '1', '-f', 'aiff'])
  makeSound(sounds, '03 Tone.wv', seconds, tags)
  makeSound(sounds, '04 Tone.wma', seconds, [...tags, '-c:a', 'wmav2', '-b:a', '96k'])
  makeDsf(sounds, '05 Tone.dsf', seconds)
  makeApe(sounds, '06 Tone.ape', seconds)
}

async function library (t: Test) {
  const [MUSIC_DIR, DATA_DIR] = [folder(t), folder(t)]
  for (const name of readdirSync(sounds)) copyFileSync(join(sounds, name), join(MUSIC_DIR, name))
  const open = (more: Record<string, string> = {}) =>
    start(t, { MUSIC_DIR, DATA_DIR, TRANSCODING: 'true', ...more })
  return { open, source: await open(), settings: readSettings({ MUSIC_DIR, DATA_DIR }) }
}

type Source = Awaited<ReturnType<typeof start>>

/** A source whose files no test changes. */
const { source } = isSkipped ? { source: undefined! } : await library(t)

const tracksOf = async ({ data }: Source) => (await data('/v1/search/tracks?keyword=tone')).items

/** The extension of the file of a track. */
const extensionOf = async ({ data }: Source, { id }: { id: string }): Promise<string> =>
  /\/(?:lossless|standard)\.(\w+)\?/.exec((await data(`/v1/track/url?id=${id}&quality=original`)).url)![1]!

const load = async ({ call }: Source, url: string) =>
  call(pathOf(new URL(url, 'http://localhost').href), { headers: {} })

async function stream ({ call }: Source, id: string, query: object = {}, method = 'stream') {
  const { headers } = await call(`/rest/${method}?${new URLSearchParams({
    u: 'x', p: token, c: 'app', id: `tr-${id}`, ...query
  })}`)
  return String(headers.location)
}

t.test('AIFF, APE, DSF, WavPack and WMA are listed as their tags name them, and players get FLAC or MP3', async t => {
  const tracks = await tracksOf(source)
  t.equal(tracks.length, 6)
  for (const track of tracks) {
    const extension = await extensionOf(source, track)
    const file = readFileSync(join(sounds, readdirSync(sounds).find(name => name.endsWith(`.${extension}`))!))
    t.match(track, { title: 'Tone', artists: [{ name: 'Odd' }], album: { name: 'Formats' } }, extension)
    t.ok(Math.abs(track.durationMs - seconds * 1000) < 50, `${extension} ${track.durationMs}`)
    const keys = track.qualities.map(({ key }: { key: string }) => key)
    const { quality, format } = expected[extension]!
    t.same(keys, [...quality === 'lossless' ? [quality] : [], 'standard', 'saver', 'original'], extension)
    const told = await source.data(`/v1/track/url?id=${track.id}`)
    t.match(told, { quality, format })
    for (const url of [told.url, await stream(source, track.id)]) {
      const { headers, rawPayload } = await load(source, url)
      t.equal(headers['content-type'], format === 'flac' ? 'audio/flac' : 'audio/mpeg', extension)
      // APE is silent here.
      if (extension === 'ape') continue
      const { from, length } = heard(rawPayload)
      t.ok(Math.abs(from) < 0.1 && Math.abs(length - seconds) < 0.1, `${extension} ${from} ${length}`)
    }
    const asFile = [
      (await source.data(`/v1/track/url?id=${track.id}&quality=original`)).url,
      await stream(source, track.id, { format: 'raw' }), await stream(source, track.id, {}, 'download')
    ]
    for (const url of asFile) t.ok((await load(source, url)).rawPayload.equals(file), `${extension} ${url}`)
  }
  t.same(source.lines.filter(({ msg }) => /skipped|ignored/.test(msg)), [])
})

t.test('the qualities of a source name FLAC and the original only where there is such a file', async t => {
  const keys = async ({ data }: Source) => (await data('/v1/status')).qualityMap.map(({ key }: { key: string }) => key)
  t.same(await keys(source), ['lossless', 'standard', 'saver', 'original'])
  t.same(await keys(await start(t, { MUSIC_DIR: folder(t), TRANSCODING: 'true' })), ['standard', 'saver'])
})

t.test('of a track without such a file the original is its best file, and of several the first one', async t => {
  const [MUSIC_DIR, DATA_DIR] = [folder(t), folder(t)]
  makeSound(MUSIC_DIR, 'a.flac', 1, ['-metadata', 'title=Tone', '-metadata', 'artist=A'])
  for (const [name, args] of Object.entries({ 'b.wv': [], 'b.wma': ['-c:a', 'wmav2', '-b:a', '64k'] })) {
    makeSound(MUSIC_DIR, name, 1, [...args, '-metadata', 'title=Tone', '-metadata', 'artist=B'])
  }
  const source = await start(t, { MUSIC_DIR, DATA_DIR, TRANSCODING: 'true' })
  const tracks = await tracksOf(source)
  for (const [artist, name, format] of [['A', 'lossless.flac', 'flac'], ['B', 'lossless.wv', 'wv']] as const) {
    const { id, qualities } = tracks.find(({ artists }: { artists: { name: string }[] }) => artists[0]!.name === artist)
    t.equal(qualities.filter(({ key }: { key: string }) => key === 'original').length, artist === 'A' ? 0 : 1)
    const { url, ...told } = await source.data(`/v1/track/url?id=${id}&quality=original`)
    t.match([url, told], [`/${name}?`, { format }])
  }
})

t.test('WavPack of more than 64 MB is read by its first block and its tags, and a broken one is left out', async t => {
  const MUSIC_DIR = folder(t)
  const small = readFileSync(makeSound(MUSIC_DIR, 'small.wv', 1, ['-metadata', 'title=Tone', '-metadata', 'artist=A']))
  const block = small.subarray(0, small.readUInt32LE(4) + 8)
  const tags = small.subarray(small.indexOf('APETAGEX'))
  const later = Buffer.from(block)
  later.writeUInt32LE(1, 16)
  const most = Math.ceil(66 * 2 ** 20 / block.length)
  put(MUSIC_DIR, 'large.wv', Buffer.concat([block, ...Array<Buffer>(most).fill(later), tags]))
  const broken = Buffer.from(small)
  broken.writeUInt32LE(2 ** 31, 4)
  put(MUSIC_DIR, 'broken.wv', broken)
  rmSync(join(MUSIC_DIR, 'small.wv'))
  const source = await start(t, { MUSIC_DIR, TRANSCODING: 'true' })
  const [track, ...others] = await tracksOf(source)
  t.match(track, { title: 'Tone', artists: [{ name: 'A' }], durationMs: 1000 })
  t.equal(others.length, 0)
  const original = track.qualities.find(({ key }: { key: string }) => key === 'original')
  t.equal(original.bitrate, original.size * 8)
  t.ok(source.lines.some(({ msg, path, reason }) =>
    msg === 'file skipped' && path === 'broken.wv' && reason === 'Its first block or its tags are too large'))
})

t.test('a cover in the tags is that of the album', async t => {
  const MUSIC_DIR = folder(t)
  const cover = join(folder(t), 'cover.png')
  await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } }).png().toFile(cover)
  makeSound(MUSIC_DIR, 'a.aiff', 1, [
    '-i', cover, '-map', '0:a', '-map', '1:v', '-c:v', 'copy', '-write_id3v2', '1', '-metadata', 'title=Tone',
    '-metadata', 'artist=A', '-metadata', 'album=B'
  ])
  const source = await start(t, { MUSIC_DIR, TRANSCODING: 'true' })
  const [{ album }] = await tracksOf(source)
  const { headers, rawPayload } = await load(source, album.coverUrl)
  t.equal(headers['content-type'], 'image/png')
  t.equal(rawPayload.readUInt32BE(16), 64)
})

t.test('FLAC of a file is gone with it: what is lossy is not made FLAC', async t => {
  const [MUSIC_DIR, DATA_DIR] = [folder(t), folder(t)]
  const tags = ['-metadata', 'title=Tone', '-metadata', 'artist=A', '-metadata', 'album=B']
  makeSound(MUSIC_DIR, 'a.wv', 1, tags)
  const source = await start(t, { MUSIC_DIR, DATA_DIR, TRANSCODING: 'true' })
  const [{ id }] = await tracksOf(source)
  const { url } = await source.data(`/v1/track/url?id=${id}`)
  t.equal((await load(source, url)).headers['content-type'], 'audio/flac')
  t.equal((await load(source, `${url}&format=mp3&bitrate=64000&start=0.5`)).headers['content-type'], 'audio/mpeg')
  rmSync(join(MUSIC_DIR, 'a.wv'))
  makeSound(MUSIC_DIR, 'a.mp3', 1, tags)
  const scan = () => source.call(`/rest/startScan?${new URLSearchParams({ u: 'x', p: token, c: 'app' })}`)
  await scan()
  await until(async () => (await source.data(`/v1/track/url?id=${id}`)).format === 'mp3')
  t.equal((await load(source, url)).statusCode, 404)
  rmSync(join(MUSIC_DIR, 'a.mp3'))
  await scan()
  await until(async () => (await tracksOf(source)).length === 0)
  t.equal((await load(source, url)).statusCode, 404)
})

t.test('without ffmpeg the log names them, with it they are back with their ids and favourites', async t => {
  const { source, open, settings } = await library(t)
  const ids = (await tracksOf(source)).map(({ id }: { id: string }) => id)
  await write(source, 'track/favorite', { id: ids[0], status: true })
  await source.app.close()
  t.equal(await runAlone(settings, ['forget-missing'], ''), '6 tracks are there')
  const without = await open({ TRANSCODING: 'false' })
  t.same(await tracksOf(without), [])
  t.ok(without.lines.some(({ msg, files }) =>
    msg === 'audio files ignored' && files === '1 .aif, 1 .aiff, 1 .ape, 1 .dsf, 1 .wma, 1 .wv'))
  await without.app.close()
  const back = await open()
  t.same(new Set((await tracksOf(back)).map(({ id }: { id: string }) => id)), new Set(ids))
  t.same((await back.data('/v1/user/favorite/tracks')).map(({ id }: { id: string }) => id), [ids[0]])
})
