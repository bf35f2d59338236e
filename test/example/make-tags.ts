/** Audio files with tags of each kind, by their names in it. */
import { readFileSync } from 'node:fs'
import { mp3Frames, oggHeads, oggPage } from './make-audio.ts'

/** Names of tags and their values. */
export type Tags = readonly (readonly [name: string, value: string])[]

const whole = (bytes: 'UInt32LE' | 'UInt32BE', value: number) => {
  const size = Buffer.alloc(4)
  size[`write${bytes}`](value)
  return size
}
const sound = mp3Frames(Array<number>(40).fill(128))

/** What a frame of ID3 holds behind its name and size. */
function contentOf (name: string, value: string): Buffer {
  const [frame, key] = name.split(':')
  if (frame === 'UFID') return Buffer.from(`http://musicbrainz.org\0${value}`)
  if (frame!.startsWith('COM')) return Buffer.from(`\0eng\0${value}`)
  return Buffer.from(key === undefined ? `\0${value}` : `\0${key}\0${value}`)
}

/** An MP3 file with a tag of ID3v2.2, 2.3 or 2.4; names of frames may have a key: `TXXX:ISRC`, `TIPL:producer`. */
export function id3File (version: 2 | 3 | 4, tags: Tags): Buffer {
  const sizeOf = {
    2: (size: number) => whole('UInt32BE', size).subarray(1),
    3: (size: number) => Buffer.concat([whole('UInt32BE', size), Buffer.alloc(2)]),
    4: (size: number) => Buffer.from([0, 0, size >> 7, size & 127, 0, 0])
  }[version]
  const frames = Buffer.concat(tags.flatMap(([name, value]) => {
    const content = contentOf(name, value)
    return [Buffer.from(name.split(':')[0]!), sizeOf(content.length), content]
  }))
  const head = Buffer.from([0x49, 0x44, 0x33, version, 0, 0, 0, 0, frames.length >> 7, frames.length & 127])
  return Buffer.concat([head, frames, sound])
}

const comments = (tags: Tags) => Buffer.concat([whole('UInt32LE', 0), whole('UInt32LE', tags.length),
  ...tags.flatMap(([name, value]) => {
    const text = Buffer.from(`${name}=${value}`)
    return [whole('UInt32LE', text.length), text]
  })])

/** A FLAC file of 44,100 Hz, stereo, 16 bits. */
export function flacFile (tags: Tags): Buffer {
  const stream = Buffer.alloc(34)
  // Size of blocks; rate, channels, bits and samples.
  stream.set([16, 0, 16, 0], 0)
  stream.set([0x0a, 0xc4, 0x42, 0xf0, 0, 0, 0xac, 0x44], 10)
  const text = comments(tags)
  return Buffer.concat([Buffer.from('fLaC\0\0\0\x22'), stream, whole('UInt32BE', 0x84000000 + text.length), text])
}

/** @param gain of the header, in 1/256 dB */
export function opusFile (tags: Tags, gain = 0): Buffer {
  const head = oggHeads.opus()
  head.writeInt16LE(gain, 16)
  return Buffer.concat([
    oggPage(1, 0n, head, { first: true }), oggPage(1, 0n, Buffer.concat([Buffer.from('OpusTags'), comments(tags)])),
    oggPage(1, 48_000n, Buffer.alloc(300))
  ])
}

/** An MP3 file with an APE tag at its end. */
export function apeFile (tags: Tags): Buffer {
  const items = Buffer.concat(tags.flatMap(([name, value]) =>
    [whole('UInt32LE', Buffer.byteLength(value)), Buffer.alloc(4), Buffer.from(`${name}\0${value}`)]))
  const foot = [2000, items.length + 32, tags.length, 0, 0, 0].map(value => whole('UInt32LE', value))
  return Buffer.concat([sound, items, Buffer.from('APETAGEX'), ...foot])
}

const atom = (name: string, ...parts: Uint8Array[]) => {
  const content = Buffer.concat(parts)
  return Buffer.concat([whole('UInt32BE', content.length + 8), Buffer.from(name, 'latin1'), content])
}

/** Atoms that hold a number, and in how many bytes. */
const numbers: Record<string, number> = { tmpo: 2, rtng: 1, cpil: 1 }

function itemOf (name: string, value: string): Buffer {
  const [frame, key] = name.split(':')
  const bytes = numbers[name]
  const data = bytes === undefined
    ? atom('data', whole('UInt32BE', 1), Buffer.alloc(4), Buffer.from(value))
    : atom('data', whole('UInt32BE', 21), Buffer.alloc(4), whole('UInt32BE', Number(value)).subarray(4 - bytes))
  return key === undefined
    ? atom(frame!, data)
    : atom(frame!, atom('mean', Buffer.alloc(4), Buffer.from('com.apple.iTunes')),
      atom('name', Buffer.alloc(4), Buffer.from(key)), data)
}

/** An MP4 file; names of atoms may have a key: `----:ISRC`. */
export function mp4File (tags: Tags): Buffer {
  const demo = readFileSync('example/music/Ada Plume/Plucked at Dawn/02 Greensleeves.m4a')
  const list = atom('ilst', ...tags.map(([name, value]) => itemOf(name, value)))
  return replaceAtom(demo, ['moov', 'udta', 'meta', 'ilst'], list)
}

/** The file with another atom at the end of a path of atoms. */
function replaceAtom (file: Buffer, [name, ...below]: string[], by: Buffer): Buffer {
  for (let at = 0; ;) {
    const size = file.readUInt32BE(at)
    if (file.toString('latin1', at + 4, at + 8) !== name) {
      at += size
      continue
    }
    // `meta` has four bytes before its atoms.
    const from = at + (name === 'meta' ? 12 : 8)
    const own = below.length === 0
      ? by
      : atom(name!, file.subarray(at + 8, from), replaceAtom(file.subarray(from, at + size), below, by))
    return Buffer.concat([file.subarray(0, at), own, file.subarray(at + size)])
  }
}
