/** Characters. Longer names are no names; they would only make every answer heavy. */
const longestText = 300
/** Characters of a tag that anything looks at. */
const longestTag = 4 * longestText
/** Values that a list has at most. */
const mostValues = 100

/** What the tag says, cut before anything looks at it; `undefined` for what is no text. */
export const cutText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, longestTag) : undefined

const joined = '\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}'
/** The sign of ten scripts of India and Sri Lanka that takes the vowel off a letter. */
const viramas = '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca'
/**
 * Zero-width joiners and non-joiners that say how what is beside them is written, as in Persian, Hindi and emoji.
 * Behind a virama a joiner does so at the end of a word too.
 */
const joiners = `(?<=[${joined}\\p{Emoji_Modifier}])[\u200c\u200d]+(?=[${joined}])|(?<=[${viramas}])\u200d+`
/** Those, or what is no text: white space, control characters, other invisible signs, halves of characters. */
const unseen = new RegExp(`(${joiners})|[\\p{Cc}\\p{Cf}\\p{Cs}\\s]+`, 'gu')

/**
 * A text of a tag: control characters out, white space and accents in one form, cut where it is absurdly long.
 *
 * @returns `undefined` when nothing is left
 */
export function cleanText (value: unknown): string | undefined {
  const text = cutText(value)?.normalize('NFC').replace(unseen, (_, joiner = ' ') => joiner[0]).trim() ?? ''
  const characters = [...text]
  if (characters.length <= longestText) return text || undefined
  return characters.slice(0, longestText - 1).join('').trimEnd().replace(/[\u200c\u200d]$/, '') + '…'
}

/** A whole number from 1 to `most`, `undefined` for anything else. */
export const cleanNumber = (value: unknown, most: number): number | undefined =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most ? value as number : undefined

/**
 * Parts of a date such as `2021-05-03`, `03.05.2021`, `2021-05`, `c. 2021` or `2021`; `2021-00-00` is the last of
 * these.
 */
export function splitDate (value: unknown): { year: number, month?: number, day?: number } | undefined {
  const text = String(value).trim().replace(/^c(?:a|irca)?\b\.?\s*/i, '')
    .replace(/^(\d\d)\.(\d\d)\.(\d{4})$/, '$3-$2-$1')
  const found = /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?/.exec(text) ?? []
  const [year, month, day] = found.slice(1).flatMap(part => part === undefined ? [] : [Number(part)])
  if (year === undefined || year < 1000 || year > 2100) return undefined
  return { year, ...month !== undefined && { month }, ...day !== undefined && { day } }
}

/** Year and time of such a date. */
export function cleanDate (value: unknown): { year?: number, publishTime?: number } {
  const date = splitDate(value)
  if (date === undefined) return {}
  const { year, month = 1, day = 1 } = date
  return { year, publishTime: Date.UTC(year, month - 1, day) }
}

/** Several values in one: `Rock; Pop`. */
export const splitList = (values: readonly string[]): string[] => {
  const texts = values.slice(0, mostValues).flatMap(value => value.slice(0, longestTag).split(/[;\0]/)).map(cleanText)
  return [...new Set(texts)].filter(text => text !== undefined).slice(0, mostValues)
}

/** Members, of which those may be missing that may be `undefined`. */
type Told<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } &
  { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/** The members that tell something, `undefined` where none does: no text or list is empty. */
export function withoutEmpty<T extends object> (members: T): Told<T> | undefined {
  const told = Object.entries(members).filter(([, value]) =>
    value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0))
  return told.length === 0 ? undefined : Object.fromEntries(told) as Told<T>
}
