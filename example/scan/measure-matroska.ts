import type { FileReader } from './file-reader.ts'

/** The number of bytes at the end of a file in which its last cluster is searched. */
const maxBytes = 4 * 1024 * 1024
const cluster = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
/** The maximum number of bytes of a block before its audio. */
const longestHead = 12
const ids = { timestamp: 0xe7, simpleBlock: 0xa3, blockGroup: 0xa0, block: 0xa1 }

/**
 * Returns the length in seconds of a Matroska or WebM file whose head lacks it, as browsers record it: the start of its
 * last block. Timestamps are in milliseconds, as all programs write them.
 *
 * @returns 0 if no block is found
 */
export async function measureMatroska (reader: FileReader): Promise<number> {
  const { size } = reader.fileInfo
  const bytes = await reader.read(Math.max(0, size - maxBytes), maxBytes)
  for (let end = bytes.length, at; (at = bytes.subarray(0, end).lastIndexOf(cluster)) !== -1; end = at) {
    const seconds = lastBlockIn(bytes, at + cluster.length)
    if (seconds !== undefined) return seconds
  }
  return 0
}

function lastBlockIn (bytes: Buffer, from: number): number | undefined {
  let begun: number | undefined
  let last: number | undefined
  let at = from + lengthOf(bytes, from)
  while (at + 1 < bytes.length) {
    const id = bytes[at]!
    const content = at + 1 + lengthOf(bytes, at + 1)
    const length = sizeAt(bytes, at + 1)
    // Elements with longer ids are not in a cluster.
    if (id < 0x80 || content + longestHead > bytes.length) break
    if (id === ids.timestamp && length <= 6) {
      begun = last = length === 0 ? 0 : bytes.readUIntBE(content, length)
    } else if (begun !== undefined && (id === ids.simpleBlock || id === ids.block)) {
      last = begun + bytes.readInt16BE(content + lengthOf(bytes, content))
    }
    // A group contains its block.
    at = id === ids.blockGroup ? content : content + length
  }
  return last === undefined ? undefined : last / 1000
}

/** Returns the size of a variable-length number, which its first bits contain. */
const lengthOf = (bytes: Buffer, at: number): number => Math.clz32(bytes[at] ?? 0) - 23

function sizeAt (bytes: Buffer, at: number): number {
  const [first = 0, ...more] = bytes.subarray(at, at + lengthOf(bytes, at))
  return more.reduce((size, byte) => size * 256 + byte, first & (0xff >> more.length + 1))
}
