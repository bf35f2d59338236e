import { longestId } from '../../schemas/common.ts'

/** Ids have no colon, which ends the source id in item ids, and no `+`, which begins merged ids. */
export const isSourceId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,32}$/.test(id)

/** The parts of a combination's id: the source, and the item's id within it. */
export interface SplitId { readonly source: string, readonly id: string }

const splitAtColon = (id: string): SplitId | undefined => {
  const end = id.indexOf(':')
  return end < 1 ? undefined : { source: id.slice(0, end), id: id.slice(end + 1) }
}

/** The ids of a combination: `home:…` with any characters after the colon. One source can have no prefix. */
export class CombinedIds {
  readonly #sources: ReadonlySet<string>
  readonly #unprefixed: string | undefined

  /** @param unprefixed the source whose ids stay unchanged */
  constructor (sources: readonly string[], unprefixed?: string) {
    this.#sources = new Set(sources)
    this.#unprefixed = unprefixed
  }

  /** Returns the id of an item of a source. An empty id stays empty. */
  join (source: string, id: string): string {
    if (id === '' || (source === this.#unprefixed && !this.#looksCombined(id))) return id
    return `${source}:${id}`
  }

  /** Returns the parts of the id of one item; `undefined` if the id names no source. */
  split (id: string): SplitId | undefined {
    if (id === '' || id.startsWith('+')) return undefined
    if (this.#unprefixed !== undefined && !this.#looksCombined(id)) return { source: this.#unprefixed, id }
    return splitAtColon(id)
  }

  #looksCombined (id: string): boolean {
    return id.startsWith('+') || this.#sources.has(splitAtColon(id)?.source ?? '')
  }
}

/** The prefix of ids of other sources in mixed playlists. */
const foreignMark = 'combined:'

/**
 * Returns whether an id in a playlist belongs to a track of another source, which a combination resolves. Such ids
 * consist of letters, digits and `:%-_.!~*'()`.
 */
export const isExternalId = (id: string): boolean => externalId(id) !== undefined

/**
 * Returns a combination's id in the form in which mixed playlists store it. For merged items it is the id in the first
 * source.
 */
export const storedId = (id: string): string =>
  // A lone surrogate cannot be encoded.
  foreignMark + encodeURIComponent(Buffer.from(idsIn(id)[0] ?? id).toString())

/** Returns the combination's id that a source has stored; `undefined` for an internal id of the source. */
export function externalId (id: string): string | undefined {
  if (!id.startsWith(foreignMark)) return undefined
  try {
    const foreign = decodeURIComponent(id.slice(foreignMark.length))
    return foreign !== '' && storedId(foreign) === id ? foreign : undefined
  } catch {
    return undefined
  }
}

/** Returns the ids that a merged id contains, or the id itself. */
export function idsIn (id: string): string[] {
  if (!id.startsWith('+')) return [id]
  const ids: string[] = []
  for (let at = 1; at < id.length;) {
    const point = id.indexOf('.', at)
    const length = Number(id.slice(at, point))
    if (point === -1 || !(length > 0)) return []
    ids.push(id.slice(point + 1, point + 1 + length))
    at = point + 1 + length
  }
  return ids
}

/**
 * Returns one id for an item of several sources. It does not depend on their order, and contains as many of them as an
 * id may hold.
 */
export function mergedId (given: readonly string[]): string {
  const ids = [...new Set(given.flatMap(idsIn))].sort()
  const written = ids.map(id => `${id.length}.${id}`)
  while (written.length > 1 && Buffer.byteLength(written.join('')) >= longestId) written.pop()
  return written.length > 1 ? `+${written.join('')}` : ids[0]!
}
