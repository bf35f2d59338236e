/** Longer names are no names; they would only make every answer heavy. */
const longestText = 300

/** The characters that the bytes 0 to 255 are in Windows-1252, the encoding that old tags are read as. */
const windows1252 = new Map([...new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))]
  .map((character, byte) => [character, byte]))

/**
 * A text of a tag: control characters out, white space and accents in one form, cut where it is absurdly long.
 *
 * @returns `undefined` when nothing is left
 */
export function cleanText (value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = repairEncoding(value.slice(0, 4 * longestText)).normalize('NFC').replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim()
  const characters = [...text]
  return characters.length > longestText ? characters.slice(0, longestText - 1).join('').trimEnd() + '…' : text || undefined
}

/** A whole number from 1 to `most`, `undefined` for anything else. */
export const cleanNumber = (value: unknown, most: number): number | undefined =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most ? value as number : undefined

/** UTF-8 that was written where Windows-1252 belongs. Real words in that encoding are no valid UTF-8. */
function repairEncoding (text: string): string {
  if (!/[\u0080-\uffff]/.test(text)) return text
  const bytes = [...text].map(character => windows1252.get(character) ?? -1)
  if (bytes.includes(-1)) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
  } catch {
    return text
  }
}

/** Year and time of a date such as `2021-05-03`, `2021-05` or `2021`. */
export function cleanDate (value: unknown): { year?: number, publishTime?: number } {
  const [, year, month = '1', day = '1'] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?/.exec(String(value)) ?? []
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return Number(year) >= 1000 && Number(year) <= 2100 ? { year: Number(year), publishTime: time } : {}
}

/** Several values in one: `Rock; Pop`. */
export const splitList = (values: readonly unknown[] = [], separator: RegExp = /;|\0/): string[] => {
  const texts = values.flatMap(value => String(value).split(separator)).map(cleanText)
  return [...new Set(texts)].filter(text => text !== undefined)
}
