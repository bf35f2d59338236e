import { mediaTypeOf } from '../text/media-type-of.ts'

const isOneOf = (...types: readonly string[]) => new RegExp(`^(${types.join('|')})$`)

const audio = 'audio/.+|video/mp4|application/ogg'
const picture = 'image/(jpeg|png|gif|webp|avif)'
const nothing = '(application|binary)/octet-stream'

/** The media types allowed for audio and for covers. */
export const typesOf = { audio: isOneOf(audio, nothing), cover: isOneOf(picture, nothing) } as const

/** The default media types of a kind. */
export const defaultTypes = isOneOf(audio, picture, nothing)

/** Media types that do not identify the content. */
const unknown = isOneOf(nothing, '')

/** Types that browsers execute in the origin that serves them. For a list of types, browsers use the last one. */
const active = /html|xml|svg|script/i

/**
 * Chooses the content type: the upstream's, else the resolved one, else the type of the extension.
 *
 * @returns `undefined` if the type is not allowed
 */
export function chooseType (
  upstream: string | undefined, resolved: string | undefined, extension: string, allowed: RegExp
): string | undefined {
  const essence = (type: string) => type.split(';')[0]!.trim().toLowerCase()
  const known = upstream !== undefined && !unknown.test(essence(upstream)) ? upstream : undefined
  const type = known ?? resolved ?? mediaTypeOf(extension) ?? upstream ?? ''
  // `search` ignores the flags g and y, with which `test` would continue after the last match.
  return essence(type).search(allowed) !== -1 && !active.test(type) ? type : undefined
}
