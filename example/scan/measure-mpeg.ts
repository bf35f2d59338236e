import type { FileReader } from './file-reader.ts'
import { walkFrames } from './walk-frames.ts'

/** The size in bytes of each sample that shows whether the bitrate is constant. */
const sampleSize = 16 * 1024
const samples = [0, 0.3, 0.6, 0.9]
/** The minimum share of a file that the length in its first frame must cover; the rest may be tags. */
const leastShare = 0.6

/** The bitrates of layer III in kbit/s by header index: of MPEG 1, and of MPEG 2 and 2.5. */
const bitrates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0]
]
/** The sample rates in Hz of MPEG 2.5, a reserved value, 2 and 1. */
const mpegRates = [[11025, 12000, 8000], [], [22050, 24000, 16000], [44100, 48000, 32000]]
const aacRates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]

/** The size of the longer header, AAC's, in bytes. */
const headerLength = 7

interface Frame {
  /** The size in bytes. */
  readonly length: number
  readonly seconds: number
  /** Differs between frames with different bitrates. */
  readonly bitrate: number
  /** A value that all frames of a file share. */
  readonly kind: number
}

/**
 * Returns the length in seconds of a file of MP3 or AAC frames: by its size if the bitrate is constant, else by its
 * frames.
 *
 * @param stated the length in the file's own header
 */
export async function measureMpeg (reader: FileReader, stated: number | undefined): Promise<number> {
  const from = await skipTags(reader)
  const size = reader.fileInfo.size - from
  // The total length may follow the header of the first frame.
  const head = await reader.read(from, 64)
  if (stated !== undefined && stated > 0 && isOfAll(head, size)) return stated

  let kind: number | undefined
  let first = from
  let bytes = 0
  let seconds = 0
  const seen = new Set<number>()
  const lengthOf = (all: Buffer, at: number, position: number): number | undefined => {
    const frame = frameAt(all, at)
    if (frame === undefined) return undefined
    // Other data sometimes looks like a frame; two consecutive ones are real.
    if (kind === undefined && frameAt(all, at + frame.length)?.kind !== frame.kind) return undefined
    // Zeros may precede it.
    if (kind === undefined && position < from + sampleSize) first = position
    kind ??= frame.kind
    if (frame.kind !== kind) return undefined
    bytes += frame.length
    seconds += frame.seconds
    seen.add(frame.bitrate)
    return frame.length
  }
  for (const sample of samples) {
    await walkFrames(reader, from + Math.floor(size * sample), headerLength, lengthOf, sampleSize)
  }
  if (kind === undefined) return stated ?? 0
  if (seen.size === 1) return (from + size - first) / bytes * seconds
  seconds = 0
  const share = await walkFrames(reader, from, headerLength, lengthOf)
  return seconds / share
}

/**
 * Returns whether the first frame contains the total length, rather than the length of the first of several joined
 * files.
 */
function isOfAll (head: Buffer, size: number): boolean {
  const at = Math.max(head.indexOf('Xing'), head.indexOf('Info'))
  if (at === -1) return false
  const [hasFrames, hasBytes] = [head[at + 7]! & 1, head[at + 7]! & 2]
  const bytes = at + 8 + (hasFrames ? 4 : 0)
  return !hasBytes || bytes + 4 > head.length || head.readUInt32BE(bytes) >= size * leastShare
}

/** Returns the start of the audio, after ID3 tags. */
export const skipTags = async (reader: FileReader): Promise<number> => (await tagEnds(reader)).at(-1) ?? 0

/** Returns the end of each ID3 tag at the beginning of a file. */
export async function tagEnds (reader: FileReader): Promise<number[]> {
  const ends: number[] = []
  let position = 0
  let head = await reader.read(position, 10)
  while (head.length === 10 && head.toString('latin1', 0, 3) === 'ID3') {
    position += 10 + (head[6]! << 21 | head[7]! << 14 | head[8]! << 7 | head[9]!)
    ends.push(position)
    head = await reader.read(position, 10)
  }
  return ends
}

function frameAt (bytes: Buffer, at: number): Frame | undefined {
  if (at + headerLength > bytes.length || bytes[at] !== 0xff || bytes[at + 1]! < 0xe0) return undefined
  return (bytes[at + 1]! & 0xf6) === 0xf0 ? aacFrameAt(bytes, at) : mp3FrameAt(bytes, at)
}

function mp3FrameAt (bytes: Buffer, at: number): Frame | undefined {
  const [version, layer] = [bytes[at + 1]! >> 3 & 3, bytes[at + 1]! >> 1 & 3]
  const rate = mpegRates[version]![bytes[at + 2]! >> 2 & 3]
  const bitrate = bitrates[version === 3 ? 0 : 1]![bytes[at + 2]! >> 4]!
  if (layer !== 1 || rate === undefined || bitrate === 0) return undefined
  const count = version === 3 ? 1152 : 576
  const length = Math.floor(count / 8 * bitrate * 1000 / rate) + (bytes[at + 2]! >> 1 & 1)
  return { length, seconds: count / rate, bitrate, kind: bytes.readUInt32BE(at) & 0xfffe0c00 }
}

function aacFrameAt (bytes: Buffer, at: number): Frame | undefined {
  const rate = aacRates[bytes[at + 2]! >> 2 & 15]
  const length = (bytes[at + 3]! & 3) << 11 | bytes[at + 4]! << 3 | bytes[at + 5]! >> 5
  if (rate === undefined || length < headerLength) return undefined
  const seconds = 1024 * (1 + (bytes[at + 6]! & 3)) / rate
  return { length, seconds, bitrate: length, kind: bytes.readUInt32BE(at) & 0xfffefc00 }
}
