import type { FileReader } from './file-reader.ts'
import { walkFrames } from './walk-frames.ts'

/** The size in bytes of a page header before the segment lengths. */
const pageHeader = 27
const longestPage = pageHeader + 255 + 255 * 255
/** The maximum length of a page in seconds. */
const longestInPage = 60

interface Page {
  readonly serial: number
  /** The number of samples until the end of the page; `undefined` if no packet ends in it. */
  readonly samples: number | undefined
  /** Whether it is the first page of a stream. */
  readonly isFirst: boolean
}

/** An audio stream: its sample rate, and the number of initial samples that are not played. */
interface Stream { readonly rate: number, readonly skipped: number }

/** Codecs by the beginning of their first packet, of which `length` bytes are required. */
const codecs: readonly { magic: string, length: number, read: (packet: Buffer) => Stream }[] = [
  { magic: 'OpusHead', length: 12, read: packet => ({ rate: 48000, skipped: packet.readUInt16LE(10) }) },
  { magic: '\x01vorbis', length: 16, read: packet => ({ rate: packet.readUInt32LE(12), skipped: 0 }) },
  { magic: '\x7fFLAC', length: 30, read: packet => ({ rate: packet.readUIntBE(27, 3) >> 4, skipped: 0 }) },
  { magic: 'Speex   ', length: 40, read: packet => ({ rate: packet.readUInt32LE(36), skipped: 0 }) }
]
/** The number of bytes after the beginning of a page that contain its header and its codec. */
const headerLength = pageHeader + 255 + 40

/**
 * Returns the length of an Ogg file in seconds, from its last page. The lengths of concatenated recordings are added.
 *
 * @returns 0 without a known audio codec
 */
export async function measureOgg (reader: FileReader): Promise<number> {
  const streams = new Map<number, Stream | undefined>()
  const head = await reader.read(0, longestPage)
  for (let at = 0; pageAt(head, at)?.isFirst === true; at += lengthOf(head, at)) {
    streams.set(pageAt(head, at)!.serial, streamAt(head, at))
  }

  const tail = await reader.read(Math.max(0, reader.fileInfo.size - 2 * longestPage), 2 * longestPage)
  for (let at = tail.lastIndexOf('OggS'); at !== -1; at = at === 0 ? -1 : tail.lastIndexOf('OggS', at - 1)) {
    const page = pageAt(tail, at)
    if (page === undefined) continue
    if (!streams.has(page.serial)) break
    const stream = streams.get(page.serial)
    if (stream !== undefined && page.samples !== undefined) {
      return secondsOf(stream, page.samples - startOf(head, page.serial, stream))
    }
  }
  return measureChain(reader)
}

/** Returns the number of samples before the file, if it was cut out of a longer recording. */
function startOf (head: Buffer, serial: number, { rate }: Stream): number {
  const ends: number[] = []
  for (let at = 0; ends.length < 2; at += lengthOf(head, at)) {
    const page = pageAt(head, at)
    if (page === undefined) return 0
    if (page.serial === serial && page.samples) ends.push(page.samples)
  }
  const [first, second] = ends as [number, number]
  return first > longestInPage * rate ? Math.max(0, 2 * first - second) : 0
}

async function measureChain (reader: FileReader): Promise<number> {
  const last = new Map<number, { stream: Stream, samples: number }>()
  let before = 0
  const share = await walkFrames(reader, 0, headerLength, (bytes, at) => {
    const page = pageAt(bytes, at)
    if (page === undefined) return undefined
    const known = last.get(page.serial)
    if (page.isFirst) {
      const stream = streamAt(bytes, at)
      if (known !== undefined) before += secondsOf(known.stream, known.samples)
      if (stream !== undefined) last.set(page.serial, { stream, samples: 0 })
    } else if (known !== undefined && page.samples !== undefined) known.samples = page.samples
    return lengthOf(bytes, at)
  })
  for (const { stream, samples } of last.values()) before += secondsOf(stream, samples)
  return before / share
}

const secondsOf = ({ rate, skipped }: Stream, samples: number) => Math.max(0, samples - skipped) / rate

function pageAt (bytes: Buffer, at: number): Page | undefined {
  if (at + pageHeader > bytes.length || bytes.toString('latin1', at, at + 5) !== 'OggS\0') return undefined
  const samples = Number(bytes.readBigInt64LE(at + 6))
  const isFirst = (bytes[at + 5]! & 2) !== 0
  return { serial: bytes.readUInt32LE(at + 14), samples: samples < 0 ? undefined : samples, isFirst }
}

/** Returns the contents of the pages at the beginning of a file. */
export function pagesOf (bytes: Buffer): Buffer[] {
  const pages: Buffer[] = []
  for (let at = 0; pageAt(bytes, at) !== undefined; at += lengthOf(bytes, at)) {
    pages.push(bytes.subarray(at + pageHeader + bytes[at + pageHeader - 1]!, at + lengthOf(bytes, at)))
  }
  return pages
}

function lengthOf (bytes: Buffer, at: number): number {
  const parts = bytes.subarray(at + pageHeader, at + pageHeader + bytes[at + pageHeader - 1]!)
  return pageHeader + parts.length + parts.reduce((sum, part) => sum + part, 0)
}

/** Reads the first packet of a stream. */
function streamAt (bytes: Buffer, at: number): Stream | undefined {
  const packet = bytes.subarray(at + pageHeader + bytes[at + pageHeader - 1]!)
  const codec = codecs.find(({ magic, length }) =>
    packet.length >= length && packet.toString('latin1', 0, magic.length) === magic)
  const stream = codec?.read(packet)
  return stream !== undefined && stream.rate > 0 ? stream : undefined
}
