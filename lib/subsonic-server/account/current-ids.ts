import type { ValidOptions } from '../subsonic-options.ts'
import { readId, writeId } from '../ids.ts'

type CurrentIds = ValidOptions['currentIds']

/** Finds the current ones of these ids that apps have, by the ids that they have. */
export function findCurrent (shownIds: readonly string[], currentIds: CurrentIds): (shownId: string) => string {
  const current = new Map<string, string>()
  const items = currentIds === undefined ? [] : shownIds.map(readId)
  for (const kind of ['track', 'album', 'artist'] as const) {
    const ids = items.filter(item => item.kind === kind).map(({ id }) => id)
    if (ids.length === 0) continue
    for (const [former, id] of currentIds!(kind, ids)) current.set(writeId(kind, former), writeId(kind, id))
  }
  return id => current.get(id) ?? id
}

/** What is kept by ids that apps have, by the current ones too. What was kept by a current one comes first. */
export function byCurrentId<T> (
  kept: Readonly<Record<string, T>>, currentIds: CurrentIds
): Readonly<Record<string, T>> {
  if (currentIds === undefined) return kept
  const current = findCurrent(Object.keys(kept), currentIds)
  return { ...Object.fromEntries(Object.entries(kept).map(([id, value]) => [current(id), value])), ...kept }
}
