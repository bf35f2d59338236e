import { longestId } from '../../schemas/common.ts'

/** Without a colon, which ends the id of a source in those of items, and without `+`, which merged ids begin with. */
export const isSourceId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,32}$/.test(id)

/** The id of an item of a source: `home:…`, with any characters after the colon. What has no id has none here. */
export const combinedId = (source: string, id: string): string => id === '' ? '' : `${source}:${id}`

/** The source of an item and its id there; `undefined` for what is no id of one item. */
export function splitId (id: string): { source: string, id: string } | undefined {
  const end = id.indexOf(':')
  return end < 1 || id.startsWith('+') ? undefined : { source: id.slice(0, end), id: id.slice(end + 1) }
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
    return splitId(foreign) && storedId(foreign) === id ? foreign : undefined
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
