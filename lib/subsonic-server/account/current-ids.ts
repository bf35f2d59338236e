import { idsOf, isMerging, ValuesOfItems, type IdsOf } from '../../contract/merged-items.ts'
import type { SourceSession } from '../../source/index.ts'
import { readId, writeId } from '../ids.ts'

type Asking = Pick<SourceSession, 'context' | 'library'>

/** Returns the ids that apps use for an item. An item of several sources has several. */
export function shownIdsOf ({ context: { adapter } }: Pick<Asking, 'context'>): IdsOf {
  // Items of most adapters have one id.
  if (!isMerging(adapter)) return shownId => [shownId]
  return shownId => {
    const { kind, id } = readId(shownId)
    const ids = idsOf(adapter)(id)
    return ids.length === 1 && ids[0] === id ? [shownId] : ids.map(id => writeId(kind, id))
  }
}

/** Returns the changed ids among ids that apps use, with their current ids. */
async function readChanged (shownIds: readonly string[], asking: Asking): Promise<ReadonlyMap<string, string>> {
  const changed = new Map<string, string>()
  const library = await asking.library()
  if (library === undefined) return changed
  const items = shownIds.map(readId)
  for (const kind of ['track', 'album', 'artist'] as const) {
    const ids = items.filter(item => item.kind === kind).map(({ id }) => id)
    if (ids.length === 0) continue
    for (const [former, id] of await library.currentIds(`${kind}s`, ids)) {
      changed.set(writeId(kind, former), writeId(kind, id))
    }
  }
  return changed
}

/** Finds the current ids of items by the ids that apps use. */
export async function findCurrentIds (shownIds: readonly string[], asking: Asking): Promise<IdsOf> {
  const idsOf = shownIdsOf(asking)
  const changed = await readChanged(shownIds.flatMap(idsOf), asking)
  return shownId => idsOf(shownId).map(id => changed.get(id) ?? id)
}

/** Returns values that are stored by the ids that apps use. A value stored by a current id takes precedence. */
export async function findValues<T> (
  stored: readonly (readonly [shownId: string, value: T])[], asking: Asking
): Promise<ValuesOfItems<T>> {
  const idsOf = shownIdsOf(asking)
  const entries = stored.map(([shownId, value]) => [idsOf(shownId), value] as const)
  const changed = await readChanged(entries.flatMap(([ids]) => ids), asking)
  const isFormer = ([ids]: readonly [readonly string[], T]) => ids.some(id => (changed.get(id) ?? id) !== id)
  const ordered = [...entries.filter(isFormer), ...entries.filter(entry => !isFormer(entry))]
  return new ValuesOfItems(ordered.map(([ids, value]) => [ids.map(id => changed.get(id) ?? id), value]))
}

/**
 * Sets or removes the value of an item. For a merged item the values of its parts are removed, which would be wrong
 * when they are separate again. The value of a former id stays: the item may become two again.
 *
 * @param currentOf returns the current ids of an item
 */
export function withValue<T> (
  stored: Readonly<Record<string, T>>, id: string, value: T | undefined, currentOf: IdsOf
): Record<string, T> {
  const ids = currentOf(id)
  const isReplaced = (other: string) => value === undefined || ids.length > 1
    ? currentOf(other).some(id => ids.includes(id))
    : other === id
  const others = Object.fromEntries(Object.entries(stored).filter(([other]) => !isReplaced(other)))
  return value === undefined ? others : { ...others, [id]: value }
}
