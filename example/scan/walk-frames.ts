import type { FileReader } from './file-reader.ts'

/** Bytes that are read at a time. */
const chunkSize = 1024 * 1024
/** Bytes that are read at most; what comes behind is taken to be alike. */
const mostBytes = 64 * 1024 * 1024

/**
 * Reads the headers of frames, one after the other, and looks for the next frame where there is none.
 *
 * @param from position of the first frame
 * @param headerLength bytes that `lengthOf` needs, except at the end of what is read
 * @param lengthOf length of the frame that begins there, which is at that position of the file; `undefined` where none
 * does. It adds up what it finds
 * @param most bytes that are read
 * @returns the share of the file that was read, over 0 and up to 1
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
