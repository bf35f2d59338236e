import type { detect as detectType } from 'jschardet'
import { createRequire } from 'node:module'

/** The characters of the bytes 0 to 255 in Windows-1252, the encoding as which old tags are read, or in Latin-1. */
const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const bytesByCharacter = new Map([
  ...Array.from(new TextDecoder('windows-1252').decode(allBytes), (character, byte) => [character, byte] as const),
  ...Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(byte), byte] as const)
])

/** Encodings that tags are repaired from, by the detector's names of them and of their subsets. */
const encodings: Readonly<Record<string, string>> = {
  gb2312: 'gbk',
  gb18030: 'gbk',
  big5: 'big5',
  shift_jis: 'shift_jis',
  cp932: 'shift_jis',
  'euc-kr': 'euc-kr',
  cp949: 'euc-kr',
  'windows-1251': 'windows-1251'
}

/** The minimum number of non-ASCII bytes of an album. Fewer are not enough for detection. */
const enough = 12
/** The maximum number of bytes passed to the detector, which is slow. */
const mostBytes = 4096
/** The maximum size of a text in an old tag in bytes. It may end within a character. */
const oldLength = 30

/** The characters of 0x80 to 0x9F. */
const beyondLatin1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Loaded on demand: it is large, and most tags need no detection. */
const detect: typeof detectType = (...given) => createRequire(import.meta.url)('jschardet').detect(...given)

/** Repairs a text. */
export type Repair = (text: string) => string

/** Returns the bytes of a text that was read as Latin-1, `undefined` if it is ASCII or was read otherwise. */
export function bytesOf (text: string): Uint8Array | undefined {
  if (!/[\u0080-\uffff]/.test(text)) return undefined
  const bytes = Array.from(text, character => bytesByCharacter.get(character) ?? -1)
  return bytes.includes(-1) ? undefined : Uint8Array.from(bytes)
}

/** Repairs UTF-8 that was stored as Latin-1. Real words in Latin-1 are not valid UTF-8. */
export function repairUtf8 (text: string): string {
  const bytes = bytesOf(text)
  return bytes === undefined ? text : decode(bytes, 'utf-8') ?? text
}

/**
 * Finds the repair of an album's texts that were read as Latin-1 but have another encoding.
 *
 * @param texts all texts of the album; the more, the better
 * @returns `undefined` if the encoding is uncertain: a wrong guess is worse than none
 */
export function findRepair (texts: Iterable<string>): Repair | undefined {
  const unclear = [...new Set(texts)].flatMap(text => bytesOf(text) ?? [])
  const whole = unclear.filter(bytes => bytes.length !== oldLength)
  const encoding = encodingOf(Buffer.concat(whole.flatMap(bytes => [bytes, Buffer.from('\n')])))
  if (encoding === undefined || unclear.some(bytes => decode(bytes, encoding) === undefined)) return undefined
  return text => {
    const bytes = bytesOf(text)
    return bytes === undefined ? text : decode(bytes, encoding)!
  }
}

/** Detects the encoding of texts that are not UTF-8, starting at the first non-ASCII byte; `undefined` if uncertain. */
function encodingOf (bytes: Uint8Array): string | undefined {
  const from = Math.max(0, bytes.findIndex(byte => byte > 127))
  const sample = Buffer.from(bytes.subarray(from, from + mostBytes))
  if (sample.filter(byte => byte > 127).length < enough) return undefined
  return encodings[String(detect(sample).encoding).toLowerCase()]
}

/**
 * Decodes a text file of unknown encoding: by its byte order mark, else UTF-8, else a detected encoding, else
 * Windows-1252, a superset of Latin-1.
 */
export function decodeText (bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return decode(bytes, 'utf-8', false) ?? decode(bytes, encodingOf(bytes) ?? '', false) ??
    decodeLatin(bytes)
}

/** Decodes Windows-1252; Node.js 20 leaves these bytes as control characters. */
const decodeLatin = (bytes: Uint8Array): string => new TextDecoder('windows-1252').decode(bytes)
  .replace(/[\u0080-\u009f]/g, character => beyondLatin1[character.charCodeAt(0) - 0x80]!)

/** @param isTag whether the text may end within a character */
function decode (bytes: Uint8Array, encoding: string, isTag = true): string | undefined {
  try {
    const stream = isTag && encoding !== 'utf-8' && bytes.length === oldLength
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}
