import type { AskedLibrary } from '../../source/index.ts'
import { readId, writeId } from '../ids.ts'

/** Finds the current ones of these ids that apps have, by the ids that they have. */
export async function findCurrent (
  shownIds: readonly string[], library: AskedLibrary | undefined
): Promise<(shownId: string) => string> {
  const current = new Map<string, string>()
  const items = library === undefined ? [] : shownIds.map(readId)
  for (const kind of ['track', 'album', 'artist'] as const) {
    const ids = items.filter(item => item.kind === kind).map(({ id }) => id)
    if (ids.length === 0) continue
    for (const [former, id] of await library!.currentIds(`${kind}s`, ids)) {
      current.set(writeId(kind, former), writeId(kind, id))
    }
  }
  return id => current.get(id) ?? id
}

/** What is kept by ids that apps have, by the current ones too. What was kept by a current one comes first. */
export async function byCurrentId<T> (
  kept: Readonly<Record<string, T>>, library: AskedLibrary | undefined
): Promise<Readonly<Record<string, T>>> {
  const current = await findCurrent(Object.keys(kept), library)
  return { ...Object.fromEntries(Object.entries(kept).map(([id, value]) => [current(id), value])), ...kept }
}
