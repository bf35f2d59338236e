import { longestId } from '../../schemas/common.ts'
import { SubsonicError } from './subsonic-error.ts'

/**
 * Kinds of things that ids of `/rest` name. `special` are lists that are no playlist of the source, such as the tracks
 * of the day.
 */
const prefixes = { artist: 'ar', album: 'al', track: 'tr', playlist: 'pl', toplist: 'tl', special: 'sp' } as const

export type Kind = keyof typeof prefixes

const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix as string, kind as Kind]))
/** Characters of an id of the source of any length that the contract allows, as apps have it. */
const longest = 3 + 2 + Math.ceil(2 * longestId * 4 / 3)
const plain = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/

/** Text that is no UTF-8 (halves of pairs) is kept as UTF-16 after a second `~`. */
const encode = (id: string) => /\p{Cs}/u.test(id)
  ? `~~${Buffer.from(id, 'utf16le').toString('base64url')}`
  : `~${Buffer.from(id).toString('base64url')}`
const decode = (text: string) => text[1] === '~'
  ? Buffer.from(text.slice(2), 'base64url').toString('utf16le')
  : Buffer.from(text.slice(1), 'base64url').toString()

/** An id of the source as apps get it: they put it into URLs, paths and file names without escaping it. */
export const writeId = (kind: Kind, id: string): string => `${prefixes[kind]}-${plain.test(id) ? id : encode(id)}`

/**
 * The kind and the id of the source behind an id that an app sends.
 *
 * @throws SubsonicError 70 for one that was never given out
 */
export function readId (text: string): { kind: Kind, id: string } {
  const kind = kinds.get(text.slice(0, 2))
  const rest = text.slice(3)
  if (kind !== undefined && text.length <= longest) {
    const id = plain.test(rest) ? rest : decode(rest)
    // Also refuses another separator, and ids that would be written otherwise.
    if (writeId(kind, id) === text) return { kind, id }
  }
  throw new SubsonicError(70, `There is nothing with the id ${text.slice(0, 128)}`)
}

/**
 * The id of the source behind an id of one kind.
 *
 * @throws SubsonicError 70 for any other
 */
export function readIdOf (kind: Kind, text: string): string {
  const read = readId(text)
  const article = kind.startsWith('a') ? 'an' : 'a'
  if (read.kind !== kind) throw new SubsonicError(70, `This is not the id of ${article} ${kind}: ${text.slice(0, 128)}`)
  return read.id
}
