import type { FileReader } from './file-reader.ts'

/** The first byte of a frame. */
const sync = 0xff
/** The size of the longest frame header in bytes. */
const headerLength = 16
/** The maximum size of a frame in bytes, with a margin. */
const longestFrame = 512 * 1024

/**
 * Returns the length of a FLAC file in seconds by its last frame, for files written to a pipe, whose head lacks it.
 *
 * @param from position of the head
 * @param rate samples per second
 * @returns 0 without a frame
 */
export async function measureFlac (reader: FileReader, from: number, rate: number): Promise<number> {
  const head = await reader.read(from, 12)
  const { size } = reader.fileInfo
  const tail = await reader.read(Math.max(from, size - longestFrame), longestFrame)
  for (let at = tail.lastIndexOf(sync); at > 0; at = tail.lastIndexOf(sync, at - 1)) {
    const samples = samplesUntil(tail.subarray(at, at + headerLength), head.readUInt16BE(10))
    if (samples !== undefined) return samples / rate
  }
  return 0
}

/**
 * Returns the number of samples up to the end of a frame; `undefined` if the header is invalid.
 *
 * @param blockSize samples of each frame but the last one, if constant
 */
export function samplesUntil (bytes: Buffer, blockSize: number): number | undefined {
  const isVariable = bytes[1] === 0xf9
  if (bytes[1] !== 0xf8 && !isVariable) return undefined
  const [number, length] = numberAt(bytes, 4)
  const code = bytes[2]! >> 4
  const rateCode = bytes[2]! & 15
  const sizeLength = code === 6 ? 1 : code === 7 ? 2 : 0
  const rateLength = rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0
  const end = 4 + length + sizeLength + rateLength
  if (length === 0 || end >= bytes.length || crcOf(bytes.subarray(0, end)) !== bytes[end]) return undefined
  const samples = sizeLength > 0
    ? bytes.readUIntBE(4 + length, sizeLength) + 1
    : code === 1 ? 192 : code < 6 ? 144 << code : 1 << code
  return isVariable ? number + samples : number * blockSize + samples
}

/** Returns a frame or sample number in UTF-8 encoding, and its length in bytes; 0 if invalid. */
function numberAt (bytes: Buffer, at: number): [number: number, length: number] {
  const first = bytes[at]!
  const ones = Math.clz32(~(first << 24))
  if (ones === 1 || ones > 7) return [0, 0]
  let number = first & 0x7f >> ones
  for (const byte of bytes.subarray(at + 1, at + ones)) number = number * 64 + (byte & 0x3f)
  return [number, Math.max(1, ones)]
}

/** Returns FLAC's CRC-8. */
function crcOf (bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1 ^ (crc & 0x80 ? 0x107 : 0)) & 0xff
  }
  return crc
}
