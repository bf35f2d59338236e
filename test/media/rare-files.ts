import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toneAt } from './sound.ts'

const tags = { title: 'Tone', artist: 'Odd', album: 'Formats' }

/** Writes a DSF file, which ffmpeg reads only: the sound of `makeSound` as one bit a sample, and tags behind it. */
export function makeDsf (folder: string, name: string, seconds: number): void {
  const rate = 2_822_400
  const block = 4096
  const count = rate * seconds
  const samples = Buffer.alloc(Math.ceil(count / 8 / block) * block)
  for (let at = 0, rest = 0; at < count; at++) {
    const wanted = toneAt(at / rate) + rest
    if (wanted >= 0) samples[at >> 3]! |= 1 << (at & 7)
    rest = wanted - (wanted >= 0 ? 1 : -1)
  }
  const id3 = writeId3({ TIT2: tags.title, TPE1: tags.artist, TALB: tags.album })
  const head = Buffer.alloc(92)
  const end = 92 + samples.length
  const numbers: [at: number, value: number][] =
    [[4, 28], [12, end + id3.length], [20, end], [32, 52], [64, count], [84, end - 80]]
  for (const [at, name] of [[0, 'DSD '], [28, 'fmt '], [80, 'data']] as const) head.write(name, at)
  for (const [at, value] of numbers) head.writeBigUInt64LE(BigInt(value), at)
  const longs: [at: number, value: number][] = [[40, 1], [48, 1], [52, 1], [56, rate], [60, 1], [72, block]]
  for (const [at, value] of longs) head.writeUInt32LE(value, at)
  writeFileSync(join(folder, name), Buffer.concat([head, samples, id3]))
}

function writeId3 (texts: Readonly<Record<string, string>>): Buffer {
  const frames = Buffer.concat(Object.entries(texts).map(([name, text]) =>
    Buffer.concat([Buffer.from(name), Buffer.from([0, 0, 0, text.length + 1, 0, 0, 0]), Buffer.from(text)])))
  return Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\0'), Buffer.from([frames.length]), frames])
}

/** Writes a file of Monkey's Audio, for which there is no encoder: silence, whose frames have no samples, and tags. */
export function makeApe (folder: string, name: string, seconds: number): void {
  const [rate, ofFrame, frameLength, headLength] = [44_100, 294_912, 16, 76]
  const frames = Math.ceil(rate * seconds / ofFrame)
  const head = Buffer.alloc(headLength + 4 * frames)
  head.write('MAC ')
  const shorts: [at: number, value: number][] = [[4, 3990], [52, 2000], [68, 16], [70, 2]]
  const longs: [at: number, value: number][] = [[8, 52], [12, 24], [16, 4 * frames], [24, frames * frameLength],
    [56, ofFrame], [60, rate * seconds - (frames - 1) * ofFrame], [64, frames], [72, rate]]
  for (const [at, value] of shorts) head.writeUInt16LE(value, at)
  for (const [at, value] of longs) head.writeUInt32LE(value, at)
  for (let at = 0; at < frames; at++) head.writeUInt32LE(head.length + at * frameLength, headLength + 4 * at)
  const frame = Buffer.alloc(frameLength)
  // The highest bit of the checksum says that flags follow: both channels are silent.
  frame.writeUInt32LE(2 ** 31)
  frame.writeUInt32LE(3, 4)
  const items = Buffer.concat(Object.entries(tags).map(([name, text]) =>
    Buffer.from(`${String.fromCharCode(text.length)}${'\0'.repeat(7)}${name}\0${text}`)))
  const footer = Buffer.alloc(32)
  footer.write('APETAGEX')
  footer.writeUInt32LE(2000, 8)
  footer.writeUInt32LE(items.length + 32, 12)
  footer.writeUInt32LE(Object.keys(tags).length, 16)
  writeFileSync(join(folder, name), Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), items, footer]))
}
