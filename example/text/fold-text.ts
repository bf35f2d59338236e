import { limitMarks } from './compose.ts'

/** Letters that are no others with an accent, but that people type as others. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', æ: 'ae', œ: 'oe'
}

/**
 * A text for comparing: case, accents, full width and zero-width joiners are ignored. Accents that make other letters
 * (が) stay.
 */
export const foldText = (text: string): string => limitMarks(text.replace(/[\u200c\u200d]/g, ''))
  .normalize('NFKD').toLowerCase()
  .replace(/[\u0300-\u036f]/g, '')
  .replace(/[ßøđðþłħıæœ]/g, letter => letters[letter]!)
  .normalize('NFC')

const cjk = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const signs = '\\p{So}\\p{Sm}\\p{Sc}'
const words = new RegExp(`[${cjk}${signs}]|(?:(?![${cjk}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
/** What chooses between two pictures of an emoji. */
const variants = /[\ufe0e\ufe0f]/g

/**
 * The words of a text, folded: between them is what is no letter, no digit and no symbol. A CJK character, a symbol and
 * an emoji are words of their own. A text of other signs alone ("!!!") is one word, so that it can be found too.
 */
export function wordsOf (text: string): string[] {
  const folded = foldText(text).replace(variants, '')
  return folded.replace(/['’`]/g, '').match(words) ?? (folded.trim() === '' ? [] : [folded.trim()])
}

/** A text with spaces for zero-width non-joiners, as many type it in Persian; `undefined` for one without any. */
export const spaceOut = (text: string): string | undefined =>
  text.includes('\u200c') ? text.replaceAll('\u200c', ' ') : undefined
