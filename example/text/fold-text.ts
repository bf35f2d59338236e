import { foldText } from 'fastify-source-origin/library'

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
