import { foldText } from 'fastify-source-origin/library'

const cjk = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const signs = '\\p{So}\\p{Sm}\\p{Sc}'
const words = new RegExp(`[${cjk}${signs}]|(?:(?![${cjk}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
/** Variation selectors, which choose the text or the emoji style of a character. */
const variants = /[\ufe0e\ufe0f]/g

/**
 * Returns the folded words of a text. A word consists of letters and digits. Each CJK character, symbol and emoji is a
 * separate word. A text of only other signs ("!!!") is one word, so that a search finds it.
 */
export function wordsOf (text: string): string[] {
  const folded = foldText(text).replace(variants, '')
  return folded.replace(/['’`]/g, '').match(words) ?? (folded.trim() === '' ? [] : [folded.trim()])
}

/**
 * Replaces zero-width non-joiners by spaces, as many users type them in Persian. Returns `undefined` if the text has
 * none.
 */
export const spaceOut = (text: string): string | undefined =>
  text.includes('\u200c') ? text.replaceAll('\u200c', ' ') : undefined
