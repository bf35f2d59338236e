import type { FileReader } from './file-reader.ts'
import { idOf } from './identify.ts'
import { skipTags } from './measure-mpeg.ts'

/** The number of bytes per sample. */
const sampleSize = 4096
/** The minimum number of distinct bytes of a sample. Fewer are silence, which many tracks share. */
const leastBytes = 16
/** The maximum number of chunks that are searched for the audio. */
const mostChunks = 1000
/** The number of bytes at the end of an Ogg file that are searched; a page is smaller. */
const tailSize = 64 * 1024

/** The number of bytes before the samples of a DSF file. */
const headOfDsf = 92
/** The first bytes of a WMA file. */
const asf = '0&\xb2u'

/** A range of bytes of a file, from `from` to `end` (exclusive). */
interface Range { readonly from: number, readonly end: number }

/** The chunk layout of a format: positions of size and name, and the meaning of the size. */
interface Chunks {
  readonly first: number
  readonly name: string
  readonly sizeAt: number
  readonly nameAt: number
  readonly isLittle: boolean
  /** Whether the size includes the header. */
  readonly isWhole: boolean
}

const chunksOf = {
  wav: { first: 12, name: 'data', sizeAt: 4, nameAt: 0, isLittle: true, isWhole: false },
  aiff: { first: 12, name: 'SSND', sizeAt: 4, nameAt: 0, isLittle: false, isWhole: false },
  mp4: { first: 0, name: 'mdat', sizeAt: 0, nameAt: 4, isLittle: false, isWhole: true }
} as const satisfies Record<string, Chunks>

/**
 * Returns a hash that identifies the audio of a file independent of its tags: FLAC's own MD5, or else a hash of the
 * length and of samples of the audio, which tags do not affect.
 *
 * @returns an empty string if it cannot be identified: silence, or a format whose audio position requires reading the
 *   complete file
 */
export async function hashAudio (reader: FileReader): Promise<string> {
  const from = await skipTags(reader)
  const head = await reader.read(from, 64)
  const magic = head.toString('latin1', 0, 4)
  if (magic === 'OggS') return hashOgg(reader, head)
  if (magic === 'fLaC') return md5At(head, 26) ?? hashRange(reader, await flacFrames(reader, from))
  if (magic === 'RIFF') return hashRange(reader, await findChunk(reader, chunksOf.wav))
  if (magic === 'FORM') return hashRange(reader, await findChunk(reader, chunksOf.aiff))
  const { size } = reader.fileInfo
  if (magic === 'DSD ') return hashRange(reader, dsfSamples(head, size))
  // The tags are in its first object.
  if (magic === asf) return hashRange(reader, { from: Math.min(size, Number(head.readBigUInt64LE(16))), end: size })
  if (head.toString('latin1', 4, 8) === 'ftyp') return hashRange(reader, await findChunk(reader, chunksOf.mp4))
  return magic === '\x1aE\xdf\xa3' ? '' : hashRange(reader, { from, end: await endOfAudio(reader) })
}

/** Reads the MD5 of the samples in FLAC; an encoder that cannot seek back leaves it empty. */
function md5At (bytes: Buffer, at: number): string | undefined {
  const md5 = bytes.subarray(at, at + 16)
  return md5.length < 16 || md5.every(byte => byte === 0) ? undefined : idOf('md5', md5)
}

function isSilence (samples: readonly Buffer[]): boolean {
  const seen = new Uint8Array(256)
  let different = 0
  for (const sample of samples) {
    for (const byte of sample) {
      different += 1 - seen[byte]!
      seen[byte] = 1
      if (different === leastBytes) return false
    }
  }
  return true
}

async function hashRange (reader: FileReader, range: Range | undefined): Promise<string> {
  if (range === undefined) return ''
  const { from, end } = range
  const length = Math.min(sampleSize, end - from)
  const places = [from, Math.floor((from + end - length) / 2), end - length]
  const samples = []
  for (const place of places) samples.push(await reader.sample(place, length))
  return isSilence(samples) ? '' : idOf('audio', end - from, ...samples)
}

/** Returns the range of the frames after the metadata blocks of a FLAC file. */
async function flacFrames (reader: FileReader, from: number): Promise<Range> {
  let at = from + 4
  for (let isLast = false; !isLast;) {
    const head = await reader.read(at, 4)
    isLast = head.length < 4 || head[0]! > 127
    at += 4 + (head.length < 4 ? 0 : head.readUIntBE(1, 3))
  }
  const end = await endOfAudio(reader)
  return { from: Math.min(at, end), end }
}

/** Returns the first chunk with a name, limited to the file. */
async function findChunk (
  reader: FileReader, { first, name, sizeAt, nameAt, isLittle, isWhole }: Chunks
): Promise<Range | undefined> {
  const { size } = reader.fileInfo
  let at = first
  for (let count = 0; at + 8 <= size && count < mostChunks; count++) {
    const head = await reader.read(at, 16)
    const told = isLittle ? head.readUInt32LE(sizeAt) : head.readUInt32BE(sizeAt)
    const isLong = isWhole && told === 1 && head.length === 16
    const headerLength = isLong ? 16 : 8
    const whole = isLong ? Number(head.readBigUInt64BE(8)) : isWhole ? told : told + 8
    const end = whole < headerLength ? size : Math.min(size, at + whole)
    if (head.toString('latin1', nameAt, nameAt + 4) === name) return { from: at + headerLength, end }
    at = end + (isWhole ? 0 : end % 2)
  }
  return undefined
}

/** Returns the samples of a DSF. They end at its ID3 tag, whose position is in the first chunk; 0 without a tag. */
function dsfSamples (head: Buffer, size: number): Range {
  const end = Math.min(size, Number(head.readBigUInt64LE(20)) || size)
  return { from: Math.min(headOfDsf, end), end }
}

/** Returns the end of the audio, before an APE tag and an ID3v1 tag. */
export async function endOfAudio (reader: FileReader): Promise<number> {
  let end = reader.fileInfo.size
  if ((await reader.read(Math.max(0, end - 128), 3)).toString('latin1') === 'TAG') end -= 128
  const footer = await reader.read(Math.max(0, end - 32), 32)
  if (footer.toString('latin1', 0, 8) !== 'APETAGEX') return end
  const hasHeader = footer[23]! > 127
  return Math.max(0, end - footer.readUInt32LE(12) - (hasHeader ? 32 : 0))
}

/**
 * Hashes an Ogg file. Taggers renumber the pages if a comment needs more of them, so only the contents of audio pages
 * are hashed. FLAC in Ogg contains its MD5.
 */
async function hashOgg (reader: FileReader, head: Buffer): Promise<string> {
  const packet = head.subarray(27 + head[26]!)
  if (packet.toString('latin1', 0, 5) === '\x7fFLAC') {
    const whole = await reader.read(27 + head[26]!, 51)
    const md5 = md5At(whole, 35)
    if (md5 !== undefined) return md5
  }
  const tail = await reader.read(Math.max(0, reader.fileInfo.size - tailSize), tailSize)
  const bodies = []
  for (let at = tail.indexOf('OggS\0'); at !== -1 && at + 27 <= tail.length; at = tail.indexOf('OggS\0', at + 1)) {
    const granule = tail.subarray(at + 6, at + 14)
    // Header pages contain no samples.
    if (granule.every(byte => byte === 0)) continue
    const from = at + 27 + tail[at + 26]!
    const next = tail.indexOf('OggS\0', from)
    bodies.push(granule, tail.subarray(from, next === -1 ? tail.length : next))
  }
  return isSilence(bodies) ? '' : idOf('audio', ...bodies)
}
