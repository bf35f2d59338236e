/**
 * Unicode's own limit for texts that are read as streams (UAX #15, Stream-Safe Text Format). No language comes near.
 */
const mostMarks = 30

const tooManyMarks = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')

/** A text without the marks that follow each other beyond the thirtieth: putting them in order takes quadratic time. */
export const limitMarks = (text: string): string => text.replace(tooManyMarks, '$1')

/** Letters that are no others with an accent, but that people type as others. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', æ: 'ae', œ: 'oe'
}

/**
 * A text for comparing: case, accents, full width and zero-width joiners are ignored. Accents that make other letters
 * (が) stay.
 */
export const foldText = (text: string): string => /[^ -~]/.test(text) ? foldLetters(text) : text.toLowerCase()

const foldLetters = (text: string): string => limitMarks(text.replace(/[\u200c\u200d]/g, ''))
  .normalize('NFKD').toLowerCase()
  .replace(/[\u0300-\u036f]/g, '')
  .replace(/[ßøđðþłħıæœ]/g, letter => letters[letter]!)
  .normalize('NFC')

/** Characters of the longest name that is folded: the source of somebody else may send one of megabytes. */
const longestName = 1000

/** As `foldText`, for a name. A longer one is compared as it is. */
export const foldName = (name: string): string => name.length > longestName ? name : foldText(name)

/** Articles that artists are not sorted by. Subsonic apps are told them. */
export const ignoredArticles = ['The', 'El', 'La', 'Los', 'Las', 'Le', 'Les'] as const
const article = new RegExp(`^(?:${ignoredArticles.join('|')})\\s+`, 'i')

/** A name as artists are sorted by it: without its article. */
export const withoutArticle = (name: string): string => name.trim().replace(article, '')

/** Quotes, brackets and dots before a name do not count. */
const before = /^[\p{P}\p{Sk}\p{Z}\p{Cf}]+(?=[^\p{P}\p{Sk}\p{Z}\p{Cf}])/u

const begin = (name: string): string => name.replace(before, '')

/** Digits of a number that count; the sign for so many still comes before letters. */
const mostDigits = 40

/**
 * What names are sorted by, as people sort them: without case, accents and what is before the first letter, numbers by
 * their size. Signs and digits come before letters. Texts are compared by their code units.
 */
export const sortKey = (name: string): string => foldName(begin(name)).replace(/\d+/g, digits => {
  const number = digits.replace(/^0+(?=\d)/, '')
  return String.fromCharCode(0x30 + Math.min(number.length, mostDigits)) + number
})

/** Which of two names comes first. Where many are sorted, their keys are made once. */
export const compareNames = (a: string, b: string): number => compareKeys(sortKey(a), sortKey(b))

export const compareKeys = <T extends string | number>(a: T, b: T): number => a < b ? -1 : a > b ? 1 : 0

/** Syllables of Korean stand under their first consonant. */
const consonants = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'

/**
 * The letter that a name stands under in a list: one letter, upper case, without accents; `#` for what begins with
 * none, and for Chinese characters, of which there are too many. Kana stand under あ.
 */
export function letterOf (name: string): string {
  const [first = ''] = begin(name)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(first)) return 'あ'
  const [plain = ''] = first.normalize('NFKD').toUpperCase()
  const consonant = consonants[plain.charCodeAt(0) - 0x1100]
  if (consonant !== undefined) return consonant
  return /\p{L}/u.test(plain) && !/\p{Script=Han}/u.test(plain) ? plain : '#'
}
