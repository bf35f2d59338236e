import type { PlaylistEdit } from 'fastify-source-origin'
import type { Test } from 'tap'

/** The changes of a playlist. */
export interface EditedList {
  readonly add: (id: string) => unknown
  readonly remove: (id: string) => unknown
  readonly edit: (edit: Required<Pick<PlaylistEdit, 'tracks' | 'base'>>) => unknown
  readonly read: () => readonly string[] | Promise<readonly string[]>
}

/**
 * Edits an empty playlist from an app and two tabs. Each tab sends the order that it loaded last.
 *
 * @param all ids of tracks
 */
export async function editInTabs (t: Test, list: EditedList, all: readonly string[], edits: number): Promise<void> {
  let seed = 1
  const lot = (below: number) => (seed = seed * 48_271 % 2_147_483_647) % below
  const one = <T>(of: readonly T[]) => of[lot(of.length)]!
  const there = new Set<string>()
  /** The order that each tab shows. */
  const shown: (readonly string[])[] = [[], []]
  for (let count = 0; count < edits; count++) {
    const tab = lot(2)
    const seen = shown[tab]!
    const track = one(all)
    const deed = lot(6)
    if (deed < 2 && !there.has(track)) {
      await list.add(track)
      there.add(track)
    } else if (deed === 2 && there.delete(track)) {
      await list.remove(track)
    } else if (deed > 2 && seen.length > 0) {
      const moved = one(seen)
      const left = seen.filter(id => id !== moved)
      const isRemoval = deed === 3
      const tracks = isRemoval ? left : left.toSpliced(lot(seen.length), 0, moved)
      await list.edit({ tracks, base: seen })
      if (isRemoval) there.delete(moved)
      const now = await list.read()
      t.strictSame(now.filter(id => tracks.includes(id)), tracks.filter(id => there.has(id)), 'in the order of the tab')
      // The tab undoes the removal, or loads the list.
      if (isRemoval && lot(2) === 0) {
        await list.edit({ tracks: seen, base: left })
        there.add(moved)
      }
      shown[tab] = await list.read()
    } else if (seen.length === 0) shown[tab] = await list.read()
    t.strictSame(new Set(await list.read()), there)
  }
  t.ok(there.size > 0)
}
