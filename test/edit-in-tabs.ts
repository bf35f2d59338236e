import type { PlaylistEdit } from 'fastify-source-origin'
import type { Test } from 'tap'

/** The changes of a playlist. */
export interface EditedList {
  readonly add: (id: string) => unknown
  /** Removes the track at a position of the stored list. */
  readonly remove: (place: number) => unknown
  readonly removeAll: (id: string) => unknown
  readonly edit: (edit: Required<Pick<PlaylistEdit, 'tracks' | 'base'>>) => unknown
  readonly read: () => readonly string[] | Promise<readonly string[]>
}

const countsOf = (ids: readonly string[]) => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].filter(([, count]) => count > 0).sort()

/**
 * Edits an empty playlist, which may have a track several times, from an app and two tabs. Each tab sends the order
 * that it loaded last.
 *
 * @param all ids of tracks
 */
export async function editInTabs (t: Test, list: EditedList, all: readonly string[], edits: number): Promise<void> {
  let seed = 1
  const lot = (below: number) => (seed = seed * 48_271 % 2_147_483_647) % below
  const one = <T>(of: readonly T[]) => of[lot(of.length)]!
  /** How often each track has to be stored. */
  const there = new Map<string, number>()
  const count = (id: string, more: number) => there.set(id, (there.get(id) ?? 0) + more)
  /** The order that each tab shows. */
  const shown: (readonly string[])[] = [[], []]
  let repeats = 0
  for (let edit = 0; edit < edits; edit++) {
    const tab = lot(2)
    const seen = shown[tab]!
    const before = await list.read()
    const deed = lot(before.length > 30 ? 7 : 9)
    if (deed > 6) {
      const track = one(all)
      await list.add(track)
      count(track, 1)
    } else if (deed === 0 && before.length > 0) {
      const place = lot(before.length)
      await list.remove(place)
      count(before[place]!, -1)
      t.strictSame(await list.read(), before.toSpliced(place, 1), 'the other copies stay where they are')
    } else if (deed === 1 && before.length > 0) {
      const track = one(before)
      await list.removeAll(track)
      there.delete(track)
    } else if (deed > 1 && seen.length > 0) {
      const place = lot(seen.length)
      const moved = seen[place]!
      const left = seen.toSpliced(place, 1)
      const isRemoval = deed === 2
      const tracks = isRemoval ? left : left.toSpliced(lot(seen.length), 0, moved)
      await list.edit({ tracks, base: seen })
      const now = await list.read()
      const [stored, based] = [countsOf(before).get(moved) ?? 0, countsOf(seen).get(moved)!]
      if (isRemoval) {
        const left = countsOf(now).get(moved) ?? 0
        // Others may have removed the same copy before, or another one.
        t.ok(left === stored - 1 || (stored < based && left === stored), 'one copy goes, unless it has gone')
        count(moved, left - stored)
      }
      const counts = [now, tracks, seen].map(countsOf)
      const isOnce = (id: string) => counts.every(counts => (counts.get(id) ?? 0) < 2)
      t.strictSame(
        now.filter(id => isOnce(id) && tracks.includes(id)), tracks.filter(id => isOnce(id) && now.includes(id)),
        'in the order of the tab')
      if (String(before) === String(seen)) t.strictSame(now, tracks, 'nobody else has changed it')
      // The tab undoes the removal, or loads the list.
      if (isRemoval && lot(2) === 0) {
        await list.edit({ tracks: seen, base: left })
        count(moved, 1)
      }
      shown[tab] = await list.read()
    } else if (seen.length === 0) shown[tab] = before
    t.strictSame(sorted(countsOf(await list.read())), sorted(there), 'no track is lost, and none is added')
    if ([...there.values()].some(count => count > 1)) repeats++
  }
  t.ok(repeats > 0, 'a track was there twice')
}
