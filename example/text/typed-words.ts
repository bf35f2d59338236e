import anyAscii from 'any-ascii'
import { foldText } from 'fastify-source-origin/library'
import { compose } from './compose.ts'

/** Letters of a word that count; a longer one is none. */
const longest = 40

/** Signs that stand for letters, in a word that has others. */
const signLetters: Readonly<Record<string, string>> = { $: 's', '€': 'e', '£': 'l', '¥': 'y', '@': 'a' }
/** The same for signs that mean something else at the end of a word. */
const innerLetters: Readonly<Record<string, string>> = { '!': 'i', '&': 'n' }

const cjk = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー'
/** Parts of a word without spaces; CJK by scripts, since these have no spaces between words. */
const parts = new RegExp(
  '\\p{Script=Han}+|\\p{Script=Hiragana}+|[\\p{Script=Katakana}ー]+|\\p{Script=Hangul}+|[\\p{So}\\p{Sm}\\p{Sc}]|' +
  `(?:(?![${cjk}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
const isCjk = new RegExp(`^[${cjk}]`, 'u')
const isSign = /^\p{S}/u
const isInitial = /^[\p{L}\p{N}]\P{L}?$/u

/**
 * The words of a keyword as they are typed by who leaves out signs: abbreviations in one (R.E.M., rem), signs as the
 * letters that they stand for (P!nk, pink), `and` for `&`, Hiragana for Katakana, and Latin for other scripts.
 */
export const typedWordsOf = (keyword: string): string[] => partsOf(foldText(keyword)).flatMap(part =>
  isCjk.test(part) ? [...toHiragana(part).replaceAll('ー', '')] : isSign.test(part) ? [part] : [latinOf(part) || part])

/** What a text is found by when its words are typed so. */
export function typedFormsOf (text: string): Set<string> {
  const forms = new Set(text.includes('&') ? ['and'] : [])
  // Folded letters are others in Latin: й is и then.
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

/** Parts of words: of CJK letters of a script, a symbol alone, or the other letters, without what is between them. */
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
