import anyAscii from 'any-ascii'
import { create } from 'content-disposition'
import { compose } from '../text/compose.ts'

/** Letters of a name that count, so that it fits everywhere, in a folder too. */
const longest = 100

/** A text as the name of a file or a folder on any system: without what one of them does not take, and never empty. */
export function fileNameOf (text: string): string {
  const letters = [...compose(text).replace(/[\p{Cc}<>:"/\\|?*]/gu, '_')].slice(0, longest)
  const from = letters.findIndex(letter => !isTrimmed(letter))
  return letters.slice(from, letters.findLastIndex(letter => !isTrimmed(letter)) + 1).join('') || '_'
}

/** Hidden files begin with a dot; Windows drops dots and blanks at the end. */
const isTrimmed = (letter: string) => letter === '.' || letter.trim() === ''

/** The header that makes a browser keep an answer as a file of that name. */
export const dispositionOf = (name: string): string => create(name, { fallback: anyAscii(name) })
