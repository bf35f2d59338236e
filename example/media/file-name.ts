import anyAscii from 'any-ascii'
import { create } from 'content-disposition'
import { compose } from '../text/compose.ts'

/** The maximum size of a name in bytes. File systems allow 255, including a number and an extension. */
const longest = 240
/** Device names of Windows, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Returns a valid file or folder name for any system: without forbidden characters, and never empty. */
export function fileNameOf (text: string): string {
  const bytes = Buffer.from(compose(text).replace(/[\p{Cc}<>:"/\\|?*]/gu, '_'))
  // A name truncated within a letter ends with an incomplete one.
  const cut = bytes.length <= longest ? bytes.toString() : bytes.toString('utf8', 0, longest).replace(/\ufffd$/, '')
  const letters = [...cut]
  const from = letters.findIndex(letter => !isTrimmed(letter))
  const name = letters.slice(from, letters.findLastIndex(letter => !isTrimmed(letter)) + 1).join('') || '_'
  return devices.test(name) ? `_${name}` : name
}

/**
 * Returns whether a character must not be first or last: hidden files begin with a dot, and Windows drops dots and
 * blanks at the end.
 */
const isTrimmed = (letter: string) => letter === '.' || letter.trim() === ''

/** Returns the `Content-Disposition` header of a download with a file name. */
export const dispositionOf = (name: string): string => create(name, { fallback: anyAscii(name) })
