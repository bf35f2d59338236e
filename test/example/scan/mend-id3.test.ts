import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { mendId3, textOfFrame, volumeOf } from '../../../example/scan/mend-id3.ts'
import { readAudioFile } from '../../../example/scan/read-audio-file.ts'
import { folder } from '../helper.ts'
import { mp3Frames } from '../make-audio.ts'

type Frame = [id: string, content: Buffer | string, flags?: number]

const syncSafe = (size: number) => Buffer.from([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])

const plain = (size: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(size)
  return bytes
}

const latin = (text: string) => Buffer.from(`\0${text}`, 'latin1')

/** A tag of a version, whose texts are Latin-1. */
function tag (version: number, frames: readonly Frame[], sizes = version === 4 ? syncSafe : plain, flags = 0): Buffer {
  const body = Buffer.concat(frames.flatMap(([id, content, flags = 0]) => {
    const bytes = typeof content === 'string' ? latin(content) : content
    return [Buffer.from(id), sizes(bytes.length), Buffer.from([0, flags]), bytes]
  }))
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, version, 0, flags]), syncSafe(body.length), body])
}

async function read (t: Test, bytes: Buffer) {
  const root = folder(t)
  writeFileSync(join(root, 'My file.mp3'), Buffer.concat([bytes, mp3Frames(Array(40).fill(128))]))
  return readAudioFile(root, 'My file.mp3', new AbortController().signal)
}

for (const version of [3, 4]) {
  for (const [text, genres] of Object.entries({
    'House (2)': ['House (2)'],
    'Techno (Peak / Time)': ['Techno (Peak / Time)'],
    'Rock/Pop': ['Rock/Pop'],
    'hip hop; Hip Hop; HIP HOP': ['hip hop'],
    '(17)': ['Rock'],
    '(4)Eurodisco': ['Disco', 'Eurodisco']
  })) {
    t.test(`ID3v2.${version}: the genres of "${text}" are ${genres.join(', ')}`, async t => {
      t.strictSame((await read(t, tag(version, [['TIT2', 'T'], ['TCON', text]]))).genres, genres)
    })
  }
}

for (const [text, artists] of Object.entries({
  'Ann/Bob': ['Ann', 'Bob'],
  'AC/DC': ['AC/DC'],
  'M/A/R/R/S': ['M/A/R/R/S'],
  '25/17': ['25/17'],
  'Axwell /\\ Ingrosso': ['Axwell /\\ Ingrosso'],
  'A/B; Cid': ['A/B', 'Cid'],
  'Ann/Bob feat. Cid': ['Ann/Bob', 'Cid']
})) {
  t.test(`ID3v2.3: the artists of a song or album by "${text}" are ${artists.join(', ')}`, async t => {
    const { artists: ofSong, albumArtists } = await read(t, tag(3, [['TIT2', 'T'], ['TPE1', text], ['TPE2', text]]))
    t.strictSame([ofSong, albumArtists], [artists, artists])
  })
}

t.test('ID3v2.4: "/" is a part of a name, since it has another sign', async t => {
  t.strictSame((await read(t, tag(4, [['TPE1', 'Ann/Bob'], ['TPE2', 'Ann\0Bob']]))).artists, ['Ann/Bob'])
})

t.test('ID3v2.4 with the sizes that iTunes wrote is read to its end', async t => {
  const comment = Buffer.concat([latin('eng'), Buffer.from('\0'), Buffer.alloc(300, 65)])
  const tagged = await read(t, tag(4, [['TIT2', 'Title'], ['COMM', comment], ['TALB', 'Album']], plain))
  t.match(tagged, { title: 'Title', album: 'Album' })
})

for (const [version, compressed, grouped] of [[3, 0x80, 0x20], [4, 0x08, 0x40]] as const) {
  t.test(`ID3v2.${version}: what is packed or grouped is no name`, async t => {
    const frames: Frame[] = [['TIT2', 'x\x9c', compressed], ['TPE1', 'xAnn', grouped], ['TALB', 'Album']]
    t.match(await read(t, tag(version, frames)), { title: 'My file', artists: ['Unknown Artist'], album: 'Album' })
  })
}

const volume = (name: string, channel = 1) => Buffer.concat([Buffer.from(`${name}\0`), Buffer.from([channel, 0xfc, 0, 0])])

t.test('a volume of the frame RVA2 is a gain, unless there is one of ReplayGain', async t => {
  const gainsOf = async (...frames: Frame[]) =>
    (await read(t, tag(4, [['TIT2', 'T'], ...frames]))).extras?.replayGain
  t.strictSame(await gainsOf(['RVA2', volume('track')]), { trackGain: -2 })
  t.strictSame(await gainsOf(['RVA2', volume('Album')]), { albumGain: -2 })
  t.strictSame(await gainsOf(['RVA2', volume('track')], ['TXXX', 'REPLAYGAIN_TRACK_GAIN\0-7 dB']), { trackGain: -7 })
})

t.test('a volume of another channel or without an end is none', async t => {
  for (const frame of [volume('track', 2), Buffer.from('track'), Buffer.from('track\0\x01'), undefined]) {
    t.equal(volumeOf(frame), undefined)
  }
})

t.test('a tag of another kind, or one that is broken, is left as it is', async t => {
  const frames: Frame[] = [['TIT2', 'T']]
  const broken = tag(4, frames)
  broken.write('tit2', 10)
  const long = tag(3, frames)
  long.writeUInt32BE(1000, 14)
  for (const bytes of [tag(2, frames), tag(4, frames, syncSafe, 0x80), broken, long]) {
    const before = Buffer.from(bytes)
    t.strictSame(mendId3(bytes), { frames: new Map(), isChanged: false })
    t.ok(bytes.equals(before))
  }
})

t.test('of several frames of a kind the first counts, and padding ends the tag', async t => {
  const bytes = Buffer.concat([tag(3, [['TIT2', 'First'], ['TIT2', 'Second']]), Buffer.alloc(20)])
  t.equal(textOfFrame(mendId3(bytes).frames.get('TIT2')), 'First')
})

t.test('texts of frames are in one of four encodings', async t => {
  const bytes = (encoding: number, content: Buffer) => Buffer.concat([Buffer.from([encoding]), content])
  t.equal(textOfFrame(latin('é\0')), 'é')
  t.equal(textOfFrame(bytes(1, Buffer.from('\ufeffé', 'utf16le'))), 'é')
  t.equal(textOfFrame(bytes(2, Buffer.from([0, 0xe9]))), 'é')
  t.equal(textOfFrame(bytes(3, Buffer.from('é'))), 'é')
  t.equal(textOfFrame(bytes(9, Buffer.from('é'))), '')
  t.equal(textOfFrame(undefined), '')
})
