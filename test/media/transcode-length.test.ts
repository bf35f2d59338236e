import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { lengthWriter } from '../../lib/media/transcode/audio-length.ts'
import { headOfAudio, lengthOf } from '../../lib/media/transcode/length-of.ts'
import { skipWithout } from '../services.ts'
import { load } from './helper.ts'
import { makeApe, makeDsf } from './rare-files.ts'
import { makeSound } from './sound.ts'
import { serve, warnings } from './transcode-server.ts'

/** What players take for the seconds of bytes that come one after the other, by the first of them. */
function announced (body: Buffer): number {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'json', '-']
  const told = execFileSync('ffprobe', args, { input: body.subarray(0, 20_000), stdio: ['pipe', 'pipe', 'ignore'] })
  return Number(JSON.parse(String(told)).format.duration)
}

/** What players take for the seconds of a file, what it has, and the packets that it is in. */
function probe (path: string) {
  const wanted = 'stream=duration,nb_read_packets'
  const args = ['-v', 'error', '-count_packets', '-show_entries', wanted, '-of', 'json', path]
  const { duration, nb_read_packets: packets } = JSON.parse(String(execFileSync('ffprobe', args))).streams[0]
  const decoded = ['-v', 'error', '-i', path, '-f', 's16le', '-ac', '1', '-']
  const pcm = execFileSync('ffmpeg', decoded, { maxBuffer: 2 ** 28 })
  return { told: Number(duration), samples: pcm.length / 2, packets: Number(packets) }
}

t.test('what is made of FLAC tells its exact length, from any second on and at any rate', async t => {
  skipWithout('ffmpeg', t)
  await t.test('MP3, AAC and FLAC', async t => {
    const { base, files } = await serve(t)
    const cases: [format: string, rate: number, channels: number, start: number, bitrate: number][] = [
      ['flac', 44_100, 2, 0, 0], ['flac', 48_000, 1, 3, 0], ['mp3', 44_100, 2, 0, 192], ['mp3', 44_100, 2, 4, 32],
      ['aac', 44_100, 2, 0, 128], ['aac', 48_000, 1, 3, 64], ['aac', 8000, 1, 0, 32],
      ['mp3', 48_000, 1, 0, 128], ['mp3', 22_050, 2, 0, 64], ['mp3', 22_050, 1, 2, 160], ['mp3', 8000, 1, 0, 32]
    ]
    for (const [format, rate, channels, start, bitrate] of cases) {
      const name = `${rate}-${channels}.flac`
      makeSound(files, name, 9.4, ['-ar', `${rate}`, '-ac', `${channels}`, '-y'])
      const wish = { format, start: `${start}`, ...bitrate > 0 && { bitrate: `${bitrate * 1000}` } }
      const query = new URLSearchParams(wish)
      const { body } = await load(`${base}/${name}?${query}`)
      const path = join(files, 'made')
      writeFileSync(path, body)
      const { told, samples, packets } = probe(path)
      const title = `${format} ${rate} ${channels} from ${start}`
      const length = Math.round(9.4 * rate) - start * rate
      // The last frame of AAC is full.
      const most = format === 'aac' ? length + 2047 : length
      t.ok(length <= samples && samples <= most, `${title}: no sample more or less: ${samples - length}`)
      t.ok(Math.abs(told - length / rate) < (1105 + 1152) / rate, `${title}: ${told}`)
      t.ok(Math.abs(announced(body) - length / rate) < 2048 / rate, `${title}: by its first bytes`)
      if (format === 'mp3') t.equal(packets, body.readUInt32BE(body.indexOf('Info') + 8), `${title}: frames`)
    }
  })
})

t.test('what is made of other files that tell their exact length tells it too', async t => {
  skipWithout('ffmpeg', t)
  await t.test('WAV, AIFF, WavPack, DSF and APE', async t => {
    const { base, files } = await serve(t)
    const [rate, seconds] = [44_100, 3]
    makeSound(files, 'a.wav', seconds)
    makeSound(files, 'float.wav', seconds, ['-c:a', 'pcm_f32le', '-fflags', '+bitexact'])
    makeSound(files, 'a.aiff', seconds, ['-metadata', 'title=odd'])
    makeSound(files, 'a.wv', seconds)
    makeDsf(files, 'a.dsf', seconds)
    makeApe(files, 'a.ape', seconds)
    for (const name of ['a.wav', 'float.wav', 'a.aiff', 'a.wv', 'a.dsf', 'a.ape']) {
      for (const format of ['flac', 'mp3', 'aac']) {
        const { body } = await load(`${base}/${name}?format=${format}`)
        t.ok(Math.abs(announced(body) - seconds) < 2048 / rate, `${name} as ${format}: ${announced(body)}`)
      }
    }
  })
})

t.test('the length is the same whatever pieces the bytes come in', t => {
  const length = { samples: 44_100 * 9, rate: 44_100 }
  const id3 = Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\u0001\0', 'latin1'), Buffer.alloc(128)])
  const mp3 = Buffer.concat([id3, Buffer.from([0xff, 0xfb, 0x92, 0x64]), Buffer.alloc(1000, 7)])
  const box = (name: string, content: Buffer) => {
    const head = Buffer.from(`0000${name}`)
    head.writeUInt32BE(8 + content.length)
    return Buffer.concat([head, content])
  }
  const boxes = ['mvhd', 'tkhd', 'elst', 'mdhd'].map(name => box(name, Buffer.alloc(24, 1)))
  const mp4 = Buffer.concat([box('ftyp', Buffer.alloc(20)), box('moov', Buffer.concat(boxes)), Buffer.alloc(9)])
  for (const [format, bytes] of [
    ['mp3', mp3], ['mp3', mp3.subarray(138)], ['flac', Buffer.alloc(100)], ['aac', mp4]
  ] as const) {
    const whole = lengthWriter(format, length)(Buffer.from(bytes))
    const write = lengthWriter(format, length)
    const pieces = [...bytes].map(byte => write(Buffer.from([byte])))
    t.ok(Buffer.concat(pieces).equals(whole))
    t.equal(whole.length - bytes.length, format === 'mp3' ? 417 : 0)
  }
  t.end()
})

t.test('a length that is not known, or cannot be written, changes nothing', t => {
  for (const head of ['fLaC', 'OggS'.padEnd(600), ...['fLaC', 'RIFF', 'FORM', 'wvpk', 'DSD ', 'MAC '].map(name =>
    name.padEnd(600, '\0'))]) t.equal(lengthOf(Buffer.from(head)), undefined, head)
  const head = (name: string, ...parts: [at: number, value: string | number][]) => {
    const bytes = Buffer.alloc(headOfAudio)
    for (const [at, value] of [[0, name] as const, ...parts]) {
      if (typeof value === 'string') bytes.write(value, at)
      else bytes.writeUInt32LE(value, at)
    }
    return bytes
  }
  const wav = (...parts: [at: number, value: string | number][]) =>
    head('RIFF', [12, 'fmt '], [16, 16], [24, 8000], ...parts)
  const block: [at: number, value: number] = [32, 2]
  t.same(lengthOf(wav([20, 1], block, [36, 'data'], [40, 100])), { samples: 50, rate: 8000 })
  for (const odd of [
    wav([20, 1], block, [36, 'data'], [40, 2 ** 32 - 1]), wav([20, 2], block, [36, 'data'], [40, 100]),
    wav([20, 1], block, [36, 'LIST'], [40, 700]), wav([16, 700]), wav([20, 1], block, [36, 'data'], [40, 99]),
    head('FORM', [8, 'AIFF'], [12, 'FVER'], [16, 2 ** 31]), head('wvpk', [12, 2 ** 32 - 1]),
    head('wvpk', [12, 9], [24, 2 ** 31]),
    head('wvpk', [12, 9], [24, 15 << 23]), head('MAC ', [4, 3980], [8, 60])
  ]) t.equal(lengthOf(odd), undefined)
  const bytes = Buffer.from('any')
  t.equal(lengthWriter('mp3', undefined)(bytes), bytes)
  t.equal(lengthWriter('opus', { samples: 1, rate: 1 })(bytes), bytes)
  t.end()
})

t.test('what is made twice has the same bytes and the same ETag, which holds from the first byte on', async t => {
  skipWithout('ffmpeg', t)
  await t.test('by two servers, in every format', async t => {
    const [one, other] = [await serve(t), await serve(t)]
    makeSound(one.files, 'a.flac', 3)
    writeFileSync(join(other.files, 'a.flac'), readFileSync(join(one.files, 'a.flac')))
    for (const format of ['mp3', 'opus', 'aac', 'flac']) {
      const [first, again, second] = [
        await load(`${one.base}/a.flac?format=${format}`), await load(`${one.base}/a.flac?format=${format}`),
        await load(`${other.base}/a.flac?format=${format}`)
      ]
      t.ok(first.body.equals(again.body) && first.body.equals(second.body), format)
      t.equal(new Set([first, again, second].map(({ headers }) => headers.etag)).size, 1)
      const known = await load(`${other.base}/a.flac?format=${format}&start=1`)
      t.not(known.headers.etag, first.headers.etag)
    }
  })
})

t.test('who has the version of an ETag gets no run, and a range of another version is the whole', async t => {
  if (skipWithout('ffmpeg', t)) return
  const { base, files } = await serve(t)
  makeSound(files, 'a.flac', 3)
  const { headers: { etag } } = await load(`${base}/a.flac?start=1`)
  const same = await load(`${base}/a.flac?start=1`, { 'if-none-match': String(etag) })
  t.same([same.status, same.headers.etag], [304, etag])
  t.equal((await load(`${base}/a.flac?start=1`, { 'if-match': '"another"' })).status, 412)
  const range = { range: 'bytes=9-' }
  t.equal((await load(`${base}/a.flac?start=1`, { ...range, 'if-range': '"another"' })).status, 200)
  t.equal((await load(`${base}/a.flac?start=1`, { ...range, 'if-range': String(etag) })).status, 206)
})

t.test('from a time past the end there is nothing: 416, and not a head without sound', async t => {
  if (skipWithout('ffmpeg', t)) return
  const { base, files, lines } = await serve(t)
  makeSound(files, 'a.flac', 3)
  makeSound(files, 'a.mp3', 3)
  for (const name of ['a.flac', 'a.mp3']) {
    for (const format of ['mp3', 'opus', 'aac']) {
      t.equal((await load(`${base}/${name}?format=${format}&start=3`)).status, 416, `${name} ${format}`)
      t.equal((await load(`${base}/${name}?format=${format}&start=2`)).status, 200, `${name} ${format}`)
    }
  }
  t.equal((await load(`${base}/a.flac?format=flac&start=4`)).status, 416)
  t.equal((await load(`${base}/a.flac?format=mp3&start=3&pipe=1`)).status, 416, 'as bytes')
  t.same(warnings(lines), [])
})

t.test('tags stay, and those that say how an MP4 is made do not', async t => {
  if (skipWithout('ffmpeg', t)) return
  const { base, files } = await serve(t)
  const tagged = ['-metadata', 'title=A title', '-metadata', 'artist=Somebody']
  for (const [name, codec] of Object.entries({ a: 'libopus', b: 'libvorbis', c: 'aac', d: 'libmp3lame' })) {
    const container = { c: 'mp4', d: 'mp3' }[name] ?? 'ogg'
    makeSound(files, name, 1, ['-c:a', codec, '-f', container, ...tagged])
    for (const format of ['mp3', 'opus', 'flac']) {
      const path = join(files, 'made')
      writeFileSync(path, (await load(`${base}/${name}?format=${format}`)).body)
      const args = ['-v', 'error', '-show_entries', 'format_tags:stream_tags', '-of', 'json', path]
      const { streams, format: { tags } } = JSON.parse(String(execFileSync('ffprobe', args)))
      const { encoder: _encoder, ...told } = { ...streams[0].tags, ...tags }
      const names = Object.entries(told).map(([key, value]) => [key.toLowerCase(), value])
      t.same(Object.fromEntries(names), { title: 'A title', artist: 'Somebody' }, `${name} as ${format}`)
    }
  }
})
