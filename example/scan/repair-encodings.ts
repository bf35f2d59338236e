import type { detect as detectType } from 'jschardet'
import { createRequire } from 'node:module'

/**
 * The characters that the bytes 0 to 255 are in Windows-1252, the encoding that old tags are read as, or in Latin-1.
 */
const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const bytesByCharacter = new Map([
  ...Array.from(new TextDecoder('windows-1252').decode(allBytes), (character, byte) => [character, byte] as const),
  ...Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(byte), byte] as const)
])

/**
 * Encodings that tags are repaired from, by the names that the detector has for them and for those that they extend.
 */
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

/** Bytes beyond ASCII that an album needs: of fewer nothing can be told. */
const enough = 12
/** Bytes that the detector gets: it takes its time for more. */
const mostBytes = 4096
/** Bytes of a text in an old tag, which may end in the middle of a character. */
const oldLength = 30

/** What 0x80 to 0x9F are. */
const beyondLatin1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Loaded when it is needed: it is large, and most tags are clear. */
const detect: typeof detectType = (...given) => createRequire(import.meta.url)('jschardet').detect(...given)

/** Makes of a text what it was meant to be. */
export type Repair = (text: string) => string

/** The bytes of a text that was read as Latin-1, `undefined` for one that is ASCII or was read otherwise. */
export function bytesOf (text: string): Uint8Array | undefined {
  if (!/[\u0080-\uffff]/.test(text)) return undefined
  const bytes = Array.from(text, character => bytesByCharacter.get(character) ?? -1)
  return bytes.includes(-1) ? undefined : Uint8Array.from(bytes)
}

/** UTF-8 that was written where Latin-1 belongs. Real words in that encoding are no valid UTF-8. */
export function repairUtf8 (text: string): string {
  const bytes = bytesOf(text)
  return bytes === undefined ? text : decode(bytes, 'utf-8') ?? text
}

/**
 * What mends the texts of an album that were read as Latin-1 and are in another encoding.
 *
 * @param texts all texts of the album; the more, the better
 * @returns `undefined` where it is not certain what they are: a wrong guess is worse than none
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

/** The encoding of texts that are no UTF-8, by what comes first beyond ASCII; `undefined` where it is not certain. */
function encodingOf (bytes: Uint8Array): string | undefined {
  const from = Math.max(0, bytes.findIndex(byte => byte > 127))
  const sample = Buffer.from(bytes.subarray(from, from + mostBytes))
  if (sample.filter(byte => byte > 127).length < enough) return undefined
  return encodings[String(detect(sample).encoding).toLowerCase()]
}

/**
 * The text of a file whose encoding nobody tells: by its mark, else UTF-8, else what tags are repaired from, else
 * Windows-1252, which Latin-1 is part of.
 */
export function decodeText (bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return decode(bytes, 'utf-8', false) ?? decode(bytes, encodingOf(bytes) ?? '', false) ??
    decodeLatin(bytes)
}

/** Windows-1252, of which Node.js 20 leaves these as control characters. */
const decodeLatin = (bytes: Uint8Array): string => new TextDecoder('windows-1252').decode(bytes)
  .replace(/[\u0080-\u009f]/g, character => beyondLatin1[character.charCodeAt(0) - 0x80]!)

/** @param isTag whether it may end in the middle of a character */
function decode (bytes: Uint8Array, encoding: string, isTag = true): string | undefined {
  try {
    const stream = isTag && encoding !== 'utf-8' && bytes.length === oldLength
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream })
  } catch {
    return undefined
  }
}
