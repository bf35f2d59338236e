/** Audio files made of plain bytes, with any tags. */

export interface Tags {
  title?: string
  artist?: string
  album?: string
  albumArtist?: string
  track?: string
  disc?: string
  date?: string
  genre?: string
  compilation?: string
  /** Id of the release at MusicBrainz. */
  release?: string
  /** Texts with names of their own. */
  more?: Readonly<Record<string, string>>
  lyrics?: string
  /** Lines with their times in milliseconds. */
  synced?: [time: number, line: string][]
  /** The picture of the back, which comes first. */
  back?: Uint8Array
  picture?: Uint8Array
}

const frameNames = {
  title: 'TIT2',
  artist: 'TPE1',
  album: 'TALB',
  albumArtist: 'TPE2',
  track: 'TRCK',
  disc: 'TPOS',
  date: 'TDRC',
  genre: 'TCON',
  compilation: 'TCMP'
} as const

const syncSafe = (size: number) => Buffer.from([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])

/** How texts are written; the last one is UTF-8 that is said to be Latin-1, as old programs do. */
type Encoding = 'utf8' | 'latin1' | 'utf8AsLatin1'

/** An ID3v2.4 tag. */
function id3 ({ lyrics, synced, back, picture, release, more, ...texts }: Tags, encoding: Encoding): Buffer {
  const mark = Buffer.from([encoding === 'utf8' ? 3 : 0])
  const write = (text: string) => Buffer.from(text, encoding === 'latin1' ? 'latin1' : 'utf8')
  const frames: [string, Buffer][] = Object.entries(texts).map(([name, text]) =>
    [frameNames[name as keyof typeof texts], Buffer.concat([mark, write(text)])])
  for (const [name, text] of Object.entries({ ...release && { 'MusicBrainz Album Id': release }, ...more })) {
    // The frame of ID3 for text with a name of its own.
    frames.push(['TXXX', Buffer.concat([mark, write(`${name}\0${text}`)])])
  }
  if (lyrics !== undefined) frames.push(['USLT', Buffer.concat([mark, Buffer.from('eng\0'), write(lyrics)])])
  if (synced !== undefined) {
    const lines = synced.map(([time, line]) =>
      Buffer.concat([Buffer.from(`${line}\0`), Buffer.from([0, 0, time >> 8, time & 255])]))
    frames.push(['SYLT', Buffer.concat([mark, Buffer.from('eng\x02\x01\0'), ...lines])])
  }
  if (back !== undefined) frames.push(['APIC', Buffer.concat([mark, Buffer.from('image/png\0\x04\0'), back])])
  if (picture !== undefined) frames.push(['APIC', Buffer.concat([mark, Buffer.from('image/png\0\x03\0'), picture])])
  const body = Buffer.concat(frames.flatMap(([name, content]) =>
    [Buffer.from(name), syncSafe(content.length), Buffer.alloc(2), content]))
  return Buffer.concat([Buffer.from('ID3\x04\0\0'), syncSafe(body.length), body])
}

/** A silent mp3: 128 kbit/s unless it is `high` (320 kbit/s), a second long. */
export function mp3 (tags: Tags, { high = false, encoding = 'utf8' as Encoding, seconds = 1 } = {}): Buffer {
  const frame = Buffer.alloc(high ? 1044 : 417)
  frame.set([0xff, 0xfb, high ? 0xe0 : 0x90, 0])
  return Buffer.concat([id3(tags, encoding), ...Array<Buffer>(Math.ceil(seconds * 44100 / 1152)).fill(frame)])
}

/** A silent wav of a tenth of a second, which is lossless. */
export function wav (tags: Tags): Buffer {
  const chunk = (name: string, content: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.length)
    return Buffer.concat([Buffer.from(name), size, content, Buffer.alloc(content.length % 2)])
  }
  // PCM, mono, 8000 Hz, 16 bit
  const format = Buffer.from([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0])
  return chunk('RIFF', Buffer.concat([
    Buffer.from('WAVE'), chunk('fmt ', format), chunk('id3 ', id3(tags, 'utf8')), chunk('data', Buffer.alloc(1600))
  ]))
}

/** MP3 frames of 44,100 Hz, one for each bitrate (kbit/s). */
export const mp3Frames = (bitrates: readonly number[]): Buffer => Buffer.concat(bitrates.map(bitrate => {
  const index = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320].indexOf(bitrate) + 1
  const frame = Buffer.alloc(Math.floor(144_000 * bitrate / 44_100))
  frame.set([0xff, 0xfb, index << 4, 0])
  return frame
}))

/** AAC frames of 44,100 Hz of some lengths. */
export const aacFrames = (lengths: readonly number[]): Buffer => Buffer.concat(lengths.map(length => {
  const frame = Buffer.alloc(length)
  frame.set([0xff, 0xf1, 0x50, 0x80 | length >> 11, length >> 3 & 255, (length & 7) << 5 | 0x1f, 0xfc])
  return frame
}))

/** A page of an Ogg file. */
export function oggPage (serial: number, granule: bigint, content: Uint8Array, { first = false } = {}): Buffer {
  const parts = Buffer.alloc(Math.floor(content.length / 255) + 1, 255)
  parts[parts.length - 1] = content.length % 255
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[5] = first ? 2 : 0
  head.writeBigInt64LE(granule, 6)
  head.writeUInt32LE(serial, 14)
  head[26] = parts.length
  return Buffer.concat([head, parts, content])
}

/** The first packets of the codecs that Ogg files have. */
export const oggHeads = {
  opus: (skipped = 312) => {
    const head = Buffer.from('OpusHead\x01\x02\0\0\x80\xbb\0\0\0\0\0', 'latin1')
    head.writeUInt16LE(skipped, 10)
    return head
  },
  vorbis: (rate = 44_100) => {
    const head = Buffer.alloc(30)
    head.write('\x01vorbis')
    head[11] = 2
    head.writeUInt32LE(rate, 12)
    return head
  },
  flac: (rate = 44_100) => {
    const head = Buffer.alloc(51)
    head.write('\x7fFLAC\x01\0\0\x01fLaC')
    head.writeUIntBE(rate << 4, 27, 3)
    return head
  },
  speex: (rate = 16_000) => {
    const head = Buffer.alloc(80)
    head.write('Speex   ')
    head.writeUInt32LE(rate, 36)
    return head
  },
  other: () => Buffer.from('fishead\0'.padEnd(64, '\0'))
}

/** An Opus file of so many seconds, without sound. */
export function opus ({ title = '', artist = '' }: Tags, { seconds = 1, skipped = 312, serial = 1 } = {}): Buffer {
  const text = (value: string) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(Buffer.byteLength(value))
    return Buffer.concat([size, Buffer.from(value)])
  }
  const comments = Buffer.concat([
    Buffer.from('OpusTags'), text('test'), Buffer.from([2, 0, 0, 0]), text(`TITLE=${title}`), text(`ARTIST=${artist}`)
  ])
  return Buffer.concat([
    oggPage(serial, 0n, oggHeads.opus(skipped), { first: true }), oggPage(serial, 0n, comments),
    oggPage(serial, BigInt(Math.round(seconds * 48_000)), Buffer.alloc(300))
  ])
}

/** An mp3 whose audio is another one for each number; `0` is silence. */
export function song (tags: Tags, audio: number): Buffer {
  const frames = mp3({}, { seconds: 1 + audio / 100 }).subarray(10)
  if (audio === 0) return Buffer.concat([mp3(tags, { seconds: 0 }), frames])
  for (let at = 0; at < frames.length; at++) {
    if (at % 417 > 3) frames[at] = Math.imul(at ^ Math.imul(audio, 0x9e3779b1), 0x85ebca6b) >>> 24
  }
  return Buffer.concat([mp3(tags, { seconds: 0 }), frames])
}
