import { mediaTypeOf } from '../text/media-type-of.ts'

const isOneOf = (...types: readonly string[]) => new RegExp(`^(${types.join('|')})$`)

const audio = 'audio/.+|video/mp4|application/ogg'
const picture = 'image/(jpeg|png|gif|webp|avif)'
const nothing = '(application|binary)/octet-stream'

/** What audio and covers may be. */
export const typesOf = { audio: isOneOf(audio, nothing), cover: isOneOf(picture, nothing) } as const

/** What a kind of media may be unless it says otherwise. */
export const defaultTypes = isOneOf(audio, picture, nothing)

/** Types that say nothing of what it is. */
const unknown = isOneOf(nothing, '')

/** Types that browsers run as a part of the origin that serves them. Of a list of types they take the last one. */
const active = /html|xml|svg|script/i

/**
 * The type to send: the upstream's, or where that says nothing the resolved one, or that of the extension.
 *
 * @returns `undefined` if it is none of the allowed types
 */
export function chooseType (
  upstream: string | undefined, resolved: string | undefined, extension: string, allowed: RegExp
): string | undefined {
  const essence = (type: string) => type.split(';')[0]!.trim().toLowerCase()
  const known = upstream !== undefined && !unknown.test(essence(upstream)) ? upstream : undefined
  const type = known ?? resolved ?? mediaTypeOf(extension) ?? upstream ?? ''
  // `search` takes no notice of the flags g and y, with which `test` would go on where it stopped.
  return essence(type).search(allowed) !== -1 && !active.test(type) ? type : undefined
}

const lossless = ['flac', 'wav', 'alac', 'aiff', 'aif', 'ape', 'wv', 'tta', 'dsf', 'dff', 'shn']

const rare = ['aiff', 'aif', 'ape', 'wv', 'tta', 'dsf', 'dff', 'shn', 'wma', 'mpc']

/** Whether a format is rare among players. @param format its file extension */
export const isRare = (format = ''): boolean => rare.includes(format.toLowerCase())

/** @param format as files are named by it */
export const isLossless = (format = ''): boolean => lossless.includes(format.toLowerCase())
