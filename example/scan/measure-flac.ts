import type { FileReader } from './file-reader.ts'

/** The byte that a frame begins with. */
const sync = 0xff
/** Bytes of the longest header of a frame. */
const headerLength = 16
/** Bytes of the longest frame that encoders write, and more. */
const longestFrame = 512 * 1024

/**
 * The seconds of a FLAC file whose head does not tell them, since it was written to a pipe: by its last frame.
 *
 * @param from position of the head
 * @param rate samples per second
 * @returns 0 where there is no frame
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
 * Samples from the beginning to the end of the frame that a header begins; `undefined` for what is no header.
 *
 * @param blockSize samples of each frame but the last one, where all have as many
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

/** The number of a frame or a sample, which is written as UTF-8 writes one, and its bytes; 0 for none. */
function numberAt (bytes: Buffer, at: number): [number: number, length: number] {
  const first = bytes[at]!
  const ones = Math.clz32(~(first << 24))
  if (ones === 1 || ones > 7) return [0, 0]
  let number = first & 0x7f >> ones
  for (const byte of bytes.subarray(at + 1, at + ones)) number = number * 64 + (byte & 0x3f)
  return [number, Math.max(1, ones)]
}

/** CRC-8 as FLAC has it. */
function crcOf (bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1 ^ (crc & 0x80 ? 0x107 : 0)) & 0xff
  }
  return crc
}
