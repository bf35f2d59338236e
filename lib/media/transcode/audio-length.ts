import type { AudioLength } from './length-of.ts'

/** The offset of sample rate, channels, bits and samples (8 bytes) in the STREAMINFO of a FLAC file. */
const streamInfo = 18

/**
 * Writes the length of audio into the output of ffmpeg: into the head of FLAC and MP4, and as the first frame of an
 * MP3, as LAME does. ffmpeg cannot seek back in a pipe to write it at the end.
 *
 * @returns a function that returns the next bytes, none while it needs more of the beginning
 */
export function lengthWriter (format: string, length: AudioLength | undefined): (bytes: Buffer) => Buffer {
  const write = writers[format]
  if (length === undefined || write === undefined) return bytes => bytes
  let begun: Buffer | undefined = Buffer.alloc(0)
  return bytes => {
    if (begun === undefined) return bytes
    begun = Buffer.concat([begun, bytes])
    const written = write(begun, length)
    if (written === undefined) return Buffer.alloc(0)
    begun = undefined
    return written
  }
}

type Writer = (begun: Buffer, length: AudioLength) => Buffer | undefined

const writers: Readonly<Record<string, Writer>> = { flac: writeFlac, mp3: writeMp3, aac: writeMp4 }

function writeFlac (begun: Buffer, length: AudioLength): Buffer | undefined {
  if (begun.length < streamInfo + 8) return undefined
  const samples = samplesAt(begun.readUIntBE(streamInfo, 3) >> 4, length)
  begun[streamInfo + 3] = (begun[streamInfo + 3]! & 0xf0) | Math.floor(samples / 2 ** 32) & 15
  begun.writeUInt32BE(samples % 2 ** 32, streamInfo + 4)
  return begun
}

/** Sample rates of MPEG 2.5, 2 and 1, by the bits of a frame header. */
const rates = [[11_025, 12_000, 8000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]]
const bitrates = [
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
]

/** Delays in samples: LAME's silence before the audio, and the samples that a decoder adds. */
const delays = { encoder: 576, decoder: 529 }

/** Inserts a silent first frame, as LAME does. It contains the number of frames and the encoder delay. */
function writeMp3 (begun: Buffer, length: AudioLength): Buffer | undefined {
  const hasTags = begun.length >= 10 && begun.toString('latin1', 0, 3) === 'ID3'
  const at = hasTags ? 10 + syncSafe(begun.subarray(6)) : 0
  if (begun.length < Math.max(at, 10) + 4) return undefined
  const header = Buffer.from(begun.subarray(at, at + 4))
  // The frame of the information has no padding.
  header[2]! &= ~2
  const [version, mono] = [header[1]! >> 3 & 3, header[3]! >> 6 === 3]
  const isFirst = version === 3
  const rate = rates[version]![header[2]! >> 2 & 3]!
  const ofFrame = isFirst ? 1152 : 576
  const size = Math.floor(ofFrame / 8 * bitrates[Number(isFirst)]![header[2]! >> 4]! * 1000 / rate)
  const samples = samplesAt(rate, length)
  const frames = Math.ceil((samples + delays.encoder + delays.decoder) / ofFrame)
  const info = Buffer.alloc(size)
  header.copy(info)
  const tag = 4 + (isFirst ? mono ? 17 : 32 : mono ? 9 : 17)
  // It contains the number of frames only.
  info.write('Info\0\0\0\u0001', tag, 'latin1')
  info.writeUInt32BE(frames, tag + 8)
  info.write('Lavc lame', tag + 12, 'latin1')
  info.writeUIntBE(delays.encoder << 12 | frames * ofFrame - delays.encoder - samples, tag + 33, 3)
  return Buffer.concat([begun.subarray(0, at), info, begun.subarray(at)])
}

/** MP4 boxes that contain the duration, with its offset in them. */
const durations = { mvhd: 20, tkhd: 24, mdhd: 20, elst: 12 }

function writeMp4 (begun: Buffer, length: AudioLength): Buffer | undefined {
  const at = begun.length < 8 ? 0 : begun.readUInt32BE(0)
  if (at === 0 || begun.length < at + 8 || begun.length < at + begun.readUInt32BE(at)) return undefined
  const positions = Object.fromEntries(Object.entries(durations).map(([name, position]) =>
    [name, begun.indexOf(name, at) + position])) as typeof durations
  const [ofFile, rate] = [begun.readUInt32BE(positions.mvhd - 4), begun.readUInt32BE(positions.mdhd - 4)]
  const samples = samplesAt(rate, length)
  // The encoder delay precedes the audio.
  begun.writeUInt32BE(samples + begun.readUInt32BE(positions.elst + 4), positions.mdhd)
  for (const name of ['mvhd', 'tkhd', 'elst'] as const) {
    begun.writeUInt32BE(Math.ceil(samples * ofFile / rate), positions[name])
  }
  return begun
}

const samplesAt = (rate: number, length: AudioLength) => Math.round(length.samples * rate / length.rate)

/** Reads a 28-bit number, 7 bits in each byte. */
const syncSafe = (bytes: Buffer) => [...bytes.subarray(0, 4)].reduce((sum, byte) => sum * 128 + byte, 0)
