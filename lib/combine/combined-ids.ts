import { longestId } from '../../schemas/common.ts'

/** Without a colon, which ends the id of a source in those of items, and without `+`, which merged ids begin with. */
export const isSourceId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,32}$/.test(id)

/** An id of a combination: the source of the item and the id that it has there. */
export interface SplitId { readonly source: string, readonly id: string }

const splitAtColon = (id: string): SplitId | undefined => {
  const end = id.indexOf(':')
  return end < 1 ? undefined : { source: id.slice(0, end), id: id.slice(end + 1) }
}

/** The ids of a combination: `home:…` with any characters after the colon, of one source without a prefix. */
export class CombinedIds {
  readonly #sources: ReadonlySet<string>
  readonly #unprefixed: string | undefined

  /** @param unprefixed the source whose ids stay as they are */
  constructor (sources: readonly string[], unprefixed?: string) {
    this.#sources = new Set(sources)
    this.#unprefixed = unprefixed
  }

  /** Returns the id of an item of a source. An item without an id has none here either. */
  join (source: string, id: string): string {
    if (id === '' || (source === this.#unprefixed && !this.#looksCombined(id))) return id
    return `${source}:${id}`
  }

  /** Returns the parts of the id of one item; `undefined` for an id of no source. */
  split (id: string): SplitId | undefined {
    if (id === '' || id.startsWith('+')) return undefined
    if (this.#unprefixed !== undefined && !this.#looksCombined(id)) return { source: this.#unprefixed, id }
    return splitAtColon(id)
  }

  #looksCombined (id: string): boolean {
    return id.startsWith('+') || this.#sources.has(splitAtColon(id)?.source ?? '')
  }
}

/** Marks ids of other sources in the playlists of the one that holds mixed ones. */
const foreignMark = 'combined:'

/**
 * Whether an id in a playlist is that of a track of another source, which a combination describes: of letters, digits
 * and `:%-_.!~*'()`.
 */
export const isForeign = (id: string): boolean => foreignId(id) !== undefined

/** The id of a combination as a source stores it that holds mixed playlists: of what several have that of the first. */
export const storedId = (id: string): string =>
  // Half a character has no code.
  foreignMark + encodeURIComponent(Buffer.from(idsIn(id)[0] ?? id).toString())

/** The id of the combination that a source has stored; `undefined` for one of its own. */
export function foreignId (id: string): string | undefined {
  if (!id.startsWith(foreignMark)) return undefined
  try {
    const foreign = decodeURIComponent(id.slice(foreignMark.length))
    return foreign !== '' && storedId(foreign) === id ? foreign : undefined
  } catch {
    return undefined
  }
}

/** The ids that one stands for: those of an item that several sources have, else itself. */
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

/** One id for an item that several sources have, the same whatever their order; as many of them as an id may hold. */
export function mergedId (given: readonly string[]): string {
  const ids = [...new Set(given.flatMap(idsIn))].sort()
  const written = ids.map(id => `${id.length}.${id}`)
  while (written.length > 1 && Buffer.byteLength(written.join('')) >= longestId) written.pop()
  return written.length > 1 ? `+${written.join('')}` : ids[0]!
}
