/** The maximum length of a name in characters. Longer ones are not names, and would only enlarge every response. */
const longestText = 300
/** The maximum number of characters of a tag that are read. */
const longestTag = 4 * longestText
/** The maximum number of values of a list. */
const mostValues = 100

/** Returns a tag as a string, truncated before it is processed; `undefined` for other values. */
export const cutText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, longestTag) : undefined

const joined = '\\p{L}\\p{M}\\p{N}\\p{Extended_Pictographic}'
/** The viramas of ten scripts of India and Sri Lanka, which remove the vowel of a letter. */
const viramas = '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca'
/**
 * Zero-width joiners and non-joiners that affect the writing of their neighbours, as in Persian, Hindi and emoji. After
 * a virama a joiner does so at the end of a word as well.
 */
const joiners = `(?<=[${joined}\\p{Emoji_Modifier}])[\u200c\u200d]+(?=[${joined}])|(?<=[${viramas}])\u200d+`
/**
 * Matches these joiners, or characters that are not text: white space, control characters, other invisible signs, lone
 * surrogates.
 */
const unseen = new RegExp(`(${joiners})|[\\p{Cc}\\p{Cf}\\p{Cs}\\s]+`, 'gu')

/**
 * Cleans the text of a tag: removes control characters, normalises white space and accents, and truncates overlong
 * text.
 *
 * @returns `undefined` if nothing is left
 */
export function cleanText (value: unknown): string | undefined {
  const text = cutText(value)?.normalize('NFC').replace(unseen, (_, joiner = ' ') => joiner[0]).trim() ?? ''
  const characters = [...text]
  if (characters.length <= longestText) return text || undefined
  return characters.slice(0, longestText - 1).join('').trimEnd().replace(/[\u200c\u200d]$/, '') + '…'
}

/** Returns a whole number from 1 to `most`, `undefined` for other values. */
export const cleanNumber = (value: unknown, most: number): number | undefined =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most ? value as number : undefined

/**
 * Returns the parts of a date such as `2021-05-03`, `03.05.2021`, `2021-05`, `c. 2021` or `2021`; `2021-00-00` counts
 * as `2021`.
 */
export function splitDate (value: unknown): { year: number, month?: number, day?: number } | undefined {
  const text = String(value).trim().replace(/^c(?:a|irca)?\b\.?\s*/i, '')
    .replace(/^(\d\d)\.(\d\d)\.(\d{4})$/, '$3-$2-$1')
  const found = /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?/.exec(text) ?? []
  const [year, month, day] = found.slice(1).flatMap(part => part === undefined ? [] : [Number(part)])
  if (year === undefined || year < 1000 || year > 2100) return undefined
  return { year, ...month !== undefined && { month }, ...day !== undefined && { day } }
}

/** Returns the year and the time of a date. */
export function timeOfDate (date: ReturnType<typeof splitDate>): { year?: number, publishTime?: number } {
  if (date === undefined) return {}
  const { year, month = 1, day = 1 } = date
  return { year, publishTime: Date.UTC(year, month - 1, day) }
}

/** Splits values that contain lists: `Rock; Pop`, or `Rock\\Pop` of programs for Windows. */
export const splitList = (values: readonly string[]): string[] => {
  const parts = values.slice(0, mostValues).flatMap(value => value.slice(0, longestTag).split(/[;\0]|\\\\/))
  const texts = parts.map(cleanText)
  return [...new Set(texts)].filter(text => text !== undefined).slice(0, mostValues)
}

/** Properties; those that may be `undefined` become optional. */
type Told<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } &
  { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/** Removes empty properties: `undefined`, empty strings and lists. Returns `undefined` if none is left. */
export function withoutEmpty<T extends object> (members: T): Told<T> | undefined {
  const told = Object.entries(members).filter(([, value]) =>
    value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0))
  return told.length === 0 ? undefined : Object.fromEntries(told) as Told<T>
}
