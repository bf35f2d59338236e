/**
 * The maximum number of consecutive marks, the limit of Unicode for streams (UAX #15, Stream-Safe Text Format). No
 * language comes near it.
 */
const mostMarks = 30

const tooManyMarks = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')

/** Removes consecutive marks beyond the thirtieth, because sorting them takes quadratic time. */
export const limitMarks = (text: string): string => text.replace(tooManyMarks, '$1')

/** Letters that are not accented forms of another letter, but that people type as other letters. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', æ: 'ae', œ: 'oe'
}

/**
 * Returns a string for comparison: case, accents, full width and zero-width joiners are ignored. Accents that form
 * another letter (が) stay.
 */
export const foldText = (text: string): string => /[^ -~]/.test(text) ? foldLetters(text) : text.toLowerCase()

const foldLetters = (text: string): string => limitMarks(text.replace(/[\u200c\u200d]/g, ''))
  .normalize('NFKD').toLowerCase()
  .replace(/[\u0300-\u036f]/g, '')
  .replace(/[ßøđðþłħıæœ]/g, letter => letters[letter]!)
  .normalize('NFC')

/** The maximum length of a folded name in characters, because an external source may send a name of megabytes. */
const longestName = 1000

/** Folds a name with `foldText`. A longer name is returned unchanged. */
export const foldName = (name: string): string => name.length > longestName ? name : foldText(name)

/** Articles that are ignored when artists are sorted. Subsonic apps receive this list. */
export const ignoredArticles = ['The', 'El', 'La', 'Los', 'Las', 'Le', 'Les'] as const
const article = new RegExp(`^(?:${ignoredArticles.join('|')})\\s+`, 'i')

/** Returns a name without its article, for sorting artists. */
export const withoutArticle = (name: string): string => name.trim().replace(article, '')

/** Quotes, brackets and dots before a name are ignored. */
const before = /^[\p{P}\p{Sk}\p{Z}\p{Cf}]+(?=[^\p{P}\p{Sk}\p{Z}\p{Cf}])/u

const begin = (name: string): string => name.replace(before, '')

/** The maximum number of significant digits of a number; the character for this length still sorts before letters. */
const mostDigits = 40

/**
 * Returns the sort key of a name: case, accents and characters before the first letter are ignored, and numbers are
 * sorted by value. Signs and digits come before letters. Keys are compared by their code units.
 */
export const sortKey = (name: string): string => foldName(begin(name)).replace(/\d+/g, digits => {
  const number = digits.replace(/^0+(?=\d)/, '')
  return String.fromCharCode(0x30 + Math.min(number.length, mostDigits)) + number
})

/** Compares two names. To sort many names, compute their keys only once. */
export const compareNames = (a: string, b: string): number => compareKeys(sortKey(a), sortKey(b))

export const compareKeys = <T extends string | number>(a: T, b: T): number => a < b ? -1 : a > b ? 1 : 0

/** The initial consonants under which Korean syllables are listed. */
const consonants = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'

/**
 * Returns the letter under which a name is listed: one upper-case letter without accents; `#` for names that do not
 * begin with a letter, and for Chinese characters, because there are too many. Kana are listed under あ.
 */
export function letterOf (name: string): string {
  const [first = ''] = begin(name)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(first)) return 'あ'
  const [plain = ''] = first.normalize('NFKD').toUpperCase()
  const consonant = consonants[plain.charCodeAt(0) - 0x1100]
  if (consonant !== undefined) return consonant
  return /\p{L}/u.test(plain) && !/\p{Script=Han}/u.test(plain) ? plain : '#'
}
