import anyAscii from 'any-ascii'
import { create } from 'content-disposition'
import { compose } from '../text/compose.ts'

/** Bytes of a name; file systems take 255, of which a number and an extension may be some. */
const longest = 240
/** Devices, to Windows, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** A text as the name of a file or a folder on any system: without what one of them does not take, and never empty. */
export function fileNameOf (text: string): string {
  const bytes = Buffer.from(compose(text).replace(/[\p{Cc}<>:"/\\|?*]/gu, '_'))
  // What is cut in the middle of a letter ends with half of one.
  const cut = bytes.length <= longest ? bytes.toString() : bytes.toString('utf8', 0, longest).replace(/\ufffd$/, '')
  const letters = [...cut]
  const from = letters.findIndex(letter => !isTrimmed(letter))
  const name = letters.slice(from, letters.findLastIndex(letter => !isTrimmed(letter)) + 1).join('') || '_'
  return devices.test(name) ? `_${name}` : name
}

/** Hidden files begin with a dot; Windows drops dots and blanks at the end. */
const isTrimmed = (letter: string) => letter === '.' || letter.trim() === ''

/** The header that makes a browser keep an answer as a file of that name. */
export const dispositionOf = (name: string): string => create(name, { fallback: anyAscii(name) })
