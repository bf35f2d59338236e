/** The exact length of audio. */
export interface AudioLength {
  /** The number of samples of one channel. */
  readonly samples: number
  /** The sample rate per second. */
  readonly rate: number
}

/** The number of bytes that `lengthOf` needs. */
export const headOfAudio = 512

/**
 * Reads the length of audio from the first bytes of its file.
 *
 * @returns `undefined` if the bytes do not contain it
 */
export function lengthOf (begin: Buffer): AudioLength | undefined {
  const head = Buffer.alloc(headOfAudio)
  begin.copy(head)
  const { rate = 0, samples = 0 } = readers[head.toString('latin1', 0, 4)]?.(head) ?? {}
  return rate > 0 && samples > 0 && Number.isInteger(samples) ? { samples, rate } : undefined
}

/** The 32-bit value of an unknown length. */
const unknown = 0xffff_ffff

const readers: Readonly<Record<string, (head: Buffer) => AudioLength | undefined>> = {
  fLaC: head => ({ rate: head.readUIntBE(18, 3) >> 4, samples: (head[21]! & 15) * 2 ** 32 + head.readUInt32BE(22) }),
  RIFF: lengthOfWav,
  FORM: lengthOfAiff,
  wvpk: lengthOfWavPack,
  'DSD ': head => ({ rate: head.readUInt32LE(56), samples: Number(head.readBigUInt64LE(64)) }),
  'MAC ': lengthOfApe
}

/** Formats of WAV with samples of a fixed size: integer, floating point, extensible. */
const plain = [1, 3, 0xfffe]

function lengthOfWav (head: Buffer): AudioLength | undefined {
  const [fmt, data] = [findChunk(head, 'fmt ', true), findChunk(head, 'data', true)]
  const bytes = data === 0 ? unknown : head.readUInt32LE(data + 4)
  if (fmt === 0 || bytes === unknown || !plain.includes(head.readUInt16LE(fmt + 8))) return undefined
  return { rate: head.readUInt32LE(fmt + 12), samples: bytes / head.readUInt16LE(fmt + 20) }
}

/** Returns the position of a chunk in the first bytes, or 0 if it is not there. */
function findChunk (head: Buffer, name: string, isLittle: boolean): number {
  for (let at = 12; at < headOfAudio - 32;) {
    if (head.toString('latin1', at, at + 4) === name) return at
    const size = isLittle ? head.readUInt32LE(at + 4) : head.readUInt32BE(at + 4)
    at += 8 + size + size % 2
  }
  return 0
}

function lengthOfAiff (head: Buffer): AudioLength | undefined {
  const at = findChunk(head, 'COMM', false)
  if (at === 0) return undefined
  // An 80-bit floating-point number.
  const rate = head.readUInt32BE(at + 18) * 2 ** (head.readUInt16BE(at + 16) - 16_383 - 31)
  return { rate: Math.round(rate), samples: head.readUInt32BE(at + 10) }
}

const ratesOfWavPack = [
  6000, 8000, 9600, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 192_000
]

function lengthOfWavPack (head: Buffer): AudioLength | undefined {
  const [samples, flags] = [head.readUInt32LE(12), head.readUInt32LE(24)]
  // The highest bit marks DSD.
  if (samples === unknown || flags >= 2 ** 31) return undefined
  return { rate: ratesOfWavPack[flags >> 23 & 15] ?? 0, samples }
}

/** Reads the length of an APE file. Older versions and longer descriptors are rare, so they are not read. */
function lengthOfApe (head: Buffer): AudioLength | undefined {
  if (head.readUInt16LE(4) < 3980 || head.readUInt32LE(8) !== 52) return undefined
  const [ofFrame, ofLast, frames] = [head.readUInt32LE(56), head.readUInt32LE(60), head.readUInt32LE(64)]
  return { rate: head.readUInt32LE(72), samples: (frames - 1) * ofFrame + ofLast }
}
