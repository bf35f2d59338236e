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
