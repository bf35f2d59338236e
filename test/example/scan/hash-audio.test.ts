import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FileReader } from '../../../example/scan/file-reader.ts'
import { hashAudio } from '../../../example/scan/hash-audio.ts'
import { demo, folder, mp3, wav } from '../helper.ts'
import { oggHeads, oggPage } from '../make-audio.ts'

async function hash (t: Test, content: Uint8Array): Promise<string> {
  const reader = await FileReader.open(folder(t, { x: content }), 'x', new AbortController().signal)
  return hashAudio(reader).finally(() => reader.close())
}

const demoFile = (path: string) => readFileSync(join(demo, path))
const noise = (length: number, seed = 1) => Buffer.from(Array.from({ length }, (_, at) => (at * at * seed + at) % 251))
const box = (name: string, content: Uint8Array) => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(name, 4)
  return Buffer.concat([head, content])
}
const id3 = mp3({ title: 'Title', artist: 'Artist' }, { seconds: 0 })
const ape = (length: number, hasHeader: boolean) => {
  const footer = Buffer.alloc(32)
  footer.write('APETAGEX')
  footer.writeUInt32LE(length + 32, 12)
  footer[23] = hasHeader ? 0xa0 : 0
  return Buffer.concat([Buffer.alloc(length + (hasHeader ? 32 : 0), 7), footer])
}
const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)])

t.test('tags in front and behind change nothing', async t => {
  for (const name of ['03 Morning Frost.mp3', '01 Prelude in C.flac']) {
    const file = demoFile(`Ada Plume/Plucked at Dawn/${name}`)
    const known = await hash(t, file)
    t.match(known, /^[0-9a-f]{20}$/)
    const tail = file.subarray(-128, -125).toString() === 'TAG' ? file.length - 128 : file.length
    const audio = file.subarray(0, tail)
    for (const tagged of [
      [id3, file], [id3, id3, audio, id3v1], [audio, ape(100, true), id3v1], [audio, ape(500, false)]
    ]) t.equal(await hash(t, Buffer.concat(tagged)), known)
  }
  t.equal(await hash(t, noise(60)), await hash(t, Buffer.concat([id3, noise(60)])))
})

t.test('other audio has another hash, and silence has none', async t => {
  t.not(await hash(t, noise(20_000)), await hash(t, noise(20_000, 2)))
  t.not(await hash(t, noise(20_000)), await hash(t, noise(20_001)))
  const [one, two] = [noise(20_000), noise(20_000)]
  two.fill(5, 9_990, 10_010)
  t.not(await hash(t, one), await hash(t, two), 'in the middle')
  t.equal(await hash(t, mp3({ title: 'Silence' })), '')
  t.equal(await hash(t, wav({ title: 'Silence' })), '')
  t.equal(await hash(t, Buffer.from('\x1aE\xdf\xa3 and the rest', 'latin1')), '', 'Matroska is not read')
})

t.test('tags before and behind the audio of AIFF, DSF and WMA change nothing', async t => {
  const number = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(value))
    return bytes
  }
  const chunk = (name: string, content: Uint8Array) => {
    const head = Buffer.alloc(8)
    head.write(name)
    head.writeUInt32BE(content.length, 4)
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
  }
  const made: Readonly<Record<string, (audio: Buffer, tag: Buffer) => Buffer>> = {
    aiff: (audio, tag) => Buffer.concat([Buffer.from('FORM0000AIFF'), chunk('ID3 ', tag), chunk('SSND', audio)]),
    dsf: (audio, tag) => {
      const at = number(tag.length === 0 ? 0 : 92 + audio.length)
      return Buffer.concat([Buffer.from('DSD '), Buffer.alloc(16), at, Buffer.alloc(64), audio, tag])
    },
    wma: (audio, tag) => Buffer.concat(
      [Buffer.from('0&\xb2u', 'latin1'), Buffer.alloc(12), number(24 + tag.length), tag, audio])
  }
  for (const [name, make] of Object.entries(made)) {
    const audio = noise(20_001)
    const known = await hash(t, make(audio, Buffer.alloc(0)))
    t.match(known, /^[0-9a-f]{20}$/, name)
    for (const tag of [noise(100, 3), noise(333, 4)]) t.equal(await hash(t, make(audio, tag)), known, name)
    t.not(await hash(t, make(noise(20_001, 2), noise(100, 3))), known, name)
  }
})

t.test('FLAC is told by its MD5 in each container, and by its frames where it has none', async t => {
  const file = demoFile('Ada Plume/Plucked at Dawn/01 Prelude in C.flac')
  const packet = Buffer.concat([Buffer.from('\x7fFLAC\x01\0\0\x01fLaC', 'latin1'), file.subarray(4, 42)])
  t.equal(await hash(t, oggPage(1, 0n, packet, { first: true })), await hash(t, file))
  file.fill(0, 26, 42)
  const known = await hash(t, file)
  t.match(known, /^[0-9a-f]{20}$/)
  // A block of padding in front of the others.
  const padded = Buffer.concat([file.subarray(0, 42), Buffer.from([1, 0, 0, 9]), Buffer.alloc(9), file.subarray(42)])
  t.equal(await hash(t, padded), known)
  packet.fill(0, 35, 51)
  t.equal(await hash(t, oggPage(1, 0n, packet, { first: true })), '', 'a page of headers has no audio')
  t.equal(await hash(t, file.subarray(0, 42)), '')
})

t.test('pages of Ogg may have other numbers and more of comments', async t => {
  const pages = (comment: number, first: number) => {
    const all = [oggPage(1, 0n, oggHeads.vorbis(), { first: true }), oggPage(1, 0n, noise(comment)),
      oggPage(1, 1000n, noise(3000)), oggPage(1, 2000n, noise(2000, 2))]
    all.forEach((page, at) => page.writeUInt32LE(first + at, 18))
    return Buffer.concat(all)
  }
  const known = await hash(t, pages(100, 0))
  t.match(known, /^[0-9a-f]{20}$/)
  t.equal(await hash(t, pages(20_000, 7)), known)
  t.match(await hash(t, demoFile('Nils Öhlin/Nachtorgel/2-01 Kanon in D.ogg')), /^[0-9a-f]{20}$/)
})

t.test('the audio of MP4 and WAV is where its chunk is', async t => {
  const file = demoFile('Ada Plume/Plucked at Dawn/02 Greensleeves.m4a')
  const known = await hash(t, file)
  t.match(known, /^[0-9a-f]{20}$/)
  const start = file.readUInt32BE(0)
  const moved = Buffer.concat([file.subarray(0, start), box('free', Buffer.alloc(999)), file.subarray(start)])
  t.equal(await hash(t, moved), known)
  const data = noise(9000)
  const long = Buffer.concat([box('mdat', Buffer.alloc(8)), data])
  long.writeUInt32BE(1)
  long.writeBigUInt64BE(BigInt(data.length + 16), 8)
  const ftyp = box('ftyp', Buffer.from('M4A '))
  const plain = await hash(t, Buffer.concat([ftyp, box('mdat', data)]))
  t.equal(await hash(t, Buffer.concat([ftyp, long, box('moov', noise(50))])), plain, 'with a size of 64 bits')
  const open = box('mdat', data)
  open.writeUInt32BE(0)
  t.equal(await hash(t, Buffer.concat([ftyp, open])), plain, 'up to the end')
  t.equal(await hash(t, ftyp), '')
  const chunk = (name: string, content: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.length)
    return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)])
  }
  const wave = (...chunks: Buffer[]) => chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]))
  t.equal(await hash(t, wave(chunk('LIST', noise(33)), chunk('data', data))), await hash(t, wave(chunk('data', data))))
})
