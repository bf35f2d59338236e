import { longestId } from '../../schemas/common.ts'
import { SubsonicError } from './subsonic-error.ts'

/** Kinds of ids in `/rest`. `special` ids stand for generated lists, such as the daily tracks. */
const prefixes = { artist: 'ar', album: 'al', track: 'tr', playlist: 'pl', toplist: 'tl', special: 'sp' } as const

export type IdKind = keyof typeof prefixes

const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix as string, kind as IdKind]))
/** The maximum length, in characters, of a source id as apps receive it. */
const longest = 3 + 2 + Math.ceil(2 * longestId * 4 / 3)
const plain = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/

/** Strings with lone surrogates, which have no UTF-8 form, are encoded as UTF-16 after a second `~`. */
const encode = (id: string) => /\p{Cs}/u.test(id)
  ? `~~${Buffer.from(id, 'utf16le').toString('base64url')}`
  : `~${Buffer.from(id).toString('base64url')}`
const decode = (text: string) => text[1] === '~'
  ? Buffer.from(text.slice(2), 'base64url').toString('utf16le')
  : Buffer.from(text.slice(1), 'base64url').toString()

/** Returns a source id in the form for apps. They insert ids into URLs, paths and file names without escaping. */
export const writeId = (kind: IdKind, id: string): string => `${prefixes[kind]}-${plain.test(id) ? id : encode(id)}`

/**
 * Returns the kind and the source id of an app's id.
 *
 * @throws SubsonicError 70 for an invalid id
 */
export function readId (text: string): { kind: IdKind, id: string } {
  const kind = kinds.get(text.slice(0, 2))
  const rest = text.slice(3)
  if (kind !== undefined && text.length <= longest) {
    const id = plain.test(rest) ? rest : decode(rest)
    // This check also rejects other separators, and ids that are encoded differently.
    if (writeId(kind, id) === text) return { kind, id }
  }
  throw new SubsonicError(70, `There is nothing with the id ${text.slice(0, 128)}`)
}

/**
 * Returns the source id of an app's id of one kind.
 *
 * @throws SubsonicError 70 for any other id
 */
export function readIdOf (kind: IdKind, text: string): string {
  const read = readId(text)
  const article = kind.startsWith('a') ? 'an' : 'a'
  if (read.kind !== kind) throw new SubsonicError(70, `This is not the id of ${article} ${kind}: ${text.slice(0, 128)}`)
  return read.id
}
