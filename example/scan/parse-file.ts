import { parseBuffer, parseFromTokenizer, type IAudioMetadata, type IOptions } from 'music-metadata'
import type { FileReader } from './file-reader.ts'
import { endOfAudio } from './hash-audio.ts'

/** The maximum size of the first block of WavPack and of its tags, in bytes. */
const maxBytes = 64 * 1024 * 1024

/**
 * Reads the metadata of a file with music-metadata. The parser would read all blocks of WavPack, so it receives the
 * first block and the tags after the last one.
 *
 * @throws if the file is not audio or is damaged
 */
export async function parseFile (reader: FileReader, options: IOptions): Promise<IAudioMetadata> {
  const head = await reader.read(0, 8)
  if (head.toString('latin1', 0, 4) !== 'wvpk') return parseFromTokenizer(reader, options)
  const { size } = reader.fileInfo
  const [block, end] = [head.readUInt32LE(4) + 8, await endOfAudio(reader)]
  if (block + size - end > maxBytes) throw new Error('Its first block or its tags are too large')
  const tags = await reader.read(end, size - end)
  const parts = [await reader.read(0, block), ...withHeader(tags)]
  const metadata = await parseBuffer(Buffer.concat(parts), 'audio/wavpack', options)
  // This bitrate belongs to the first block only.
  const { bitrate: _bitrate, ...format } = metadata.format
  return { ...metadata, format }
}

const mark = 'APETAGEX'

/** Returns APE tags with their footer also in front, for music-metadata. Tags without a footer are omitted. */
function withHeader (tags: Buffer): Buffer[] {
  const footer = tags.lastIndexOf(mark)
  if (footer === -1) return []
  return [tags.subarray(footer, footer + 32), tags.subarray(tags.indexOf(mark) === 0 && footer > 0 ? 32 : 0)]
}
