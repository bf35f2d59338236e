import type { FileReader } from './file-reader.ts'

/** The number of bytes per read. */
const chunkSize = 1024 * 1024
/** The maximum number of bytes read; the rest is assumed to be similar. */
const mostBytes = 64 * 1024 * 1024

/**
 * Reads the headers of consecutive frames, and searches the next frame after other data.
 *
 * @param from position of the first frame
 * @param headerLength bytes that `lengthOf` needs, except at the end of the read data
 * @param lengthOf returns the length of the frame that starts there, and adds up its findings; `undefined` if none does
 * @param most the maximum bytes to read
 * @returns the share of the file that was read, above 0 and up to 1
 */
export async function walkFrames (
  reader: FileReader,
  from: number,
  headerLength: number,
  lengthOf: (bytes: Buffer, at: number, position: number) => number | undefined,
  most = mostBytes
): Promise<number> {
  const { size } = reader.fileInfo
  const end = Math.min(size, from + most)
  let position = from
  while (position < end) {
    const bytes = await reader.read(position, Math.min(chunkSize, end - position))
    const last = position + bytes.length >= end ? bytes.length - 1 : bytes.length - headerLength
    // The file became shorter.
    if (last < 0) break
    let at = 0
    while (at <= last) at += lengthOf(bytes, at, position + at) ?? 1
    position += at
  }
  return position < size ? (position - from) / (size - from) : 1
}
