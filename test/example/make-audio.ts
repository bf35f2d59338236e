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
  lyrics?: string
  /** Lines with their times in milliseconds. */
  synced?: [time: number, line: string][]
  picture?: Uint8Array
}

const frameNames = {
  title: 'TIT2', artist: 'TPE1', album: 'TALB', albumArtist: 'TPE2', track: 'TRCK', disc: 'TPOS', date: 'TDRC', genre: 'TCON', compilation: 'TCMP'
} as const

const syncSafe = (size: number) => Buffer.from([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127])

/** How texts are written; the last one is UTF-8 that is said to be Latin-1, as old programs do. */
type Encoding = 'utf8' | 'latin1' | 'utf8AsLatin1'

/** An ID3v2.4 tag. */
function id3 ({ lyrics, synced, picture, ...texts }: Tags, encoding: Encoding): Buffer {
  const mark = Buffer.from([encoding === 'utf8' ? 3 : 0])
  const write = (text: string) => Buffer.from(text, encoding === 'latin1' ? 'latin1' : 'utf8')
  const frames: [string, Buffer][] = Object.entries(texts).map(([name, text]) =>
    [frameNames[name as keyof typeof texts], Buffer.concat([mark, write(text)])])
  if (lyrics !== undefined) frames.push(['USLT', Buffer.concat([mark, Buffer.from('eng\0'), write(lyrics)])])
  if (synced !== undefined) {
    const lines = synced.map(([time, line]) => Buffer.concat([Buffer.from(`${line}\0`), Buffer.from([0, 0, time >> 8, time & 255])]))
    frames.push(['SYLT', Buffer.concat([mark, Buffer.from('eng\x02\x01\0'), ...lines])])
  }
  if (picture !== undefined) frames.push(['APIC', Buffer.concat([mark, Buffer.from('image/png\0\x03\0'), picture])])
  const body = Buffer.concat(frames.flatMap(([name, content]) => [Buffer.from(name), syncSafe(content.length), Buffer.alloc(2), content]))
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
  const format = Buffer.from([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0]) // PCM, mono, 8000 Hz, 16 bit
  return chunk('RIFF', Buffer.concat([
    Buffer.from('WAVE'), chunk('fmt ', format), chunk('id3 ', id3(tags, 'utf8')), chunk('data', Buffer.alloc(1600))
  ]))
}
