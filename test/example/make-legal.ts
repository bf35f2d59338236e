/** Legal files that a parser makes an object of every few bytes of. */
import { mp3Frames } from './make-audio.ts'

const syncSafe = (size: number) => Buffer.from([21, 14, 7, 0].map(shift => size >> shift & 127))
const id3 = (body: Buffer) =>
  Buffer.concat([Buffer.from('ID3\x04\0\0'), syncSafe(body.length), body, mp3Frames(Array<number>(40).fill(128))])

export const id3Padding = (bytes: number): Buffer => id3(Buffer.alloc(bytes))

export function id3Frames (count: number): Buffer {
  const frame = Buffer.concat([Buffer.from('TXXX'), syncSafe(5), Buffer.from('\0\0\x03a\0bc')])
  return id3(Buffer.alloc(count * frame.length, frame))
}

export function flacComments (count: number): Buffer {
  const head = Buffer.from('fLaC\0\0\0\x22')
  const stream = Buffer.alloc(34)
  stream.set([16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0xc4, 0x42, 0xf0, 0, 0, 0xac, 0x44])
  const text = Buffer.alloc(8 + count * 8, Buffer.from('\x04\0\0\0A=bc'))
  text.writeUInt32LE(0, 0)
  text.writeUInt32LE(count, 4)
  const block = Buffer.alloc(4)
  block.writeUInt32BE(0x84000000 + text.length)
  return Buffer.concat([head, stream, block, text])
}

/** Matroska whose information about the segment is void elements. */
export function matroskaVoids (count: number): Buffer {
  const head = Buffer.from('1a45dfa38b4282886d6174726f736b61', 'hex')
  const segment = Buffer.from('1853806701ffffffffffffff', 'hex')
  const info = Buffer.from('1549a96601000000', 'hex')
  const size = Buffer.alloc(4)
  size.writeUInt32BE(2 * count)
  return Buffer.concat([head, segment, info, size, Buffer.alloc(2 * count, Buffer.from([0xec, 0x80]))])
}
