import anyAscii from 'any-ascii'
import { foldText } from 'fastify-source-origin/library'
import { compose } from './compose.ts'

/** The maximum length of a word, in characters. Longer words are ignored. */
const longest = 40

/** Signs that stand for letters in a word with other letters. */
const signLetters: Readonly<Record<string, string>> = { $: 's', '€': 'e', '£': 'l', '¥': 'y', '@': 'a' }
/** Signs that stand for letters only between other letters. */
const innerLetters: Readonly<Record<string, string>> = { '!': 'i', '&': 'n' }

const cjk = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー'
/** The parts of a word. CJK text is split by script, since it has no spaces between words. */
const parts = new RegExp(
  '\\p{Script=Han}+|\\p{Script=Hiragana}+|[\\p{Script=Katakana}ー]+|\\p{Script=Hangul}+|[\\p{So}\\p{Sm}\\p{Sc}]|' +
  `(?:(?![${cjk}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const isCjk = new RegExp(`^[${cjk}]`, 'u')
const isSign = /^\p{S}/u
const isInitial = /^[\p{L}\p{N}]\P{L}?$/u

/**
 * Returns the words of a keyword in the form of a user who types without signs. Abbreviations become one word (R.E.M.,
 * rem), and signs become the letters that they stand for (P!nk, pink). `&` becomes `and`, Katakana becomes Hiragana,
 * and other scripts become Latin.
 */
export const typedWordsOf = (keyword: string): string[] => partsOf(foldText(keyword)).flatMap(part =>
  isCjk.test(part) ? [...toHiragana(part).replaceAll('ー', '')] : isSign.test(part) ? [part] : [latinOf(part) || part])

/** Returns all forms of `typedWordsOf` by which a search finds a text. */
export function typedFormsOf (text: string): Set<string> {
  const forms = new Set(text.includes('&') ? ['and'] : [])
  // Folding changes the Latin form of some letters: й becomes и. So both forms are added.
  for (const part of [...new Set([foldText(text), compose(text).toLowerCase()])].flatMap(partsOf)) {
    if (part.length > longest || isSign.test(part)) continue
    forms.add(latinOf(part))
    if (!isCjk.test(part)) forms.add(part)
    else if (/^[\p{Script=Katakana}ー]/u.test(part)) for (const letter of toHiragana(part)) forms.add(letter)
    else if (/^\p{Script=Han}/u.test(part)) for (const letter of part) forms.add(latinOf(letter))
  }
  forms.delete('')
  return forms
}

/** Splits a text into words: CJK letters of one script, a single symbol, or other letters without punctuation. */
function partsOf (text: string): string[] {
  const found: string[] = []
  let initials = ''
  for (const word of text.replace(/[\ufe0e\ufe0f'’`]/g, '').split(/\s+/)) {
    // R. E. M.
    if (word !== 'n' && isInitial.test(word)) initials += [...word][0]
    else {
      found.push(initials, ...partsOfWord(word))
      initials = ''
    }
  }
  return [...found, initials].filter(part => part !== '')
}

function partsOfWord (word: string): string[] {
  // Rock 'n' Roll
  if (['&', '+', 'n'].includes(word)) return ['and']
  const spelt = /\p{L}/u.test(word)
    ? word.replace(/[$€£¥@]/g, sign => signLetters[sign]!)
      .replace(/(?<=\p{L})[!&](?=\p{L})/gu, sign => innerLetters[sign]!)
    : word
  const found: string[] = []
  let letters = ''
  for (const part of spelt.match(parts) ?? []) {
    if (isSign.test(part)) found.push(part)
    else if (isCjk.test(part)) {
      found.push(letters, part)
      letters = ''
    } else letters += part
  }
  return [...found, letters]
}

const latinOf = (part: string): string => anyAscii(part).toLowerCase().replace(/[^a-z0-9]/g, '')

const toHiragana = (text: string): string =>
  text.replace(/[ァ-ヶ]/g, letter => String.fromCharCode(letter.charCodeAt(0) - 0x60))
