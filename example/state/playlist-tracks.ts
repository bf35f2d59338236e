import { applyEdit, NotFoundError, takeTurns, type PlaylistEdit } from 'fastify-source-origin'
import type { Database } from './state-database.ts'

interface Row { readonly track: string, readonly title: string, readonly place: number }

/** Rows of a statement. */
const rowsAtATime = 500

/** What is asked of tracks that are there. */
export interface KnownTracks {
  /** Titles of those of a page of tracks that are there. */
  readonly titles: (tracks: readonly string[]) => ReadonlyMap<string, string>
  /** The id that each of some tracks has now that are there. */
  readonly currentIds: (tracks: Iterable<string>) => Promise<ReadonlyMap<string, string>>
}

/**
 * Turns ids into those that a playlist has for the tracks, which may be others that they had before: each of those
 * once, in the order given.
 */
async function storedIds (
  before: readonly string[], { tracks = [], seen = [], add = [] }: PlaylistEdit, currentIds: KnownTracks['currentIds']
): Promise<(wanted: readonly string[]) => string[]> {
  const current = await currentIds(new Set([...before, ...tracks, ...seen, ...add]))
  const currentOf = (id: string) => current.get(id) ?? id
  return wanted => {
    const left = new Map<string, Set<string>>()
    for (const id of before) left.set(currentOf(id), (left.get(currentOf(id)) ?? new Set()).add(id))
    return [...new Set(wanted.flatMap(id => {
      const ids = left.get(currentOf(id))
      if (ids === undefined) return [currentOf(id)]
      const [stored] = ids.has(id) ? [id] : ids
      if (stored !== undefined) ids.delete(stored)
      return stored === undefined ? [] : [stored]
    }))]
  }
}

/** What stays comes first, in its order; the rest comes new, at the end. Others have their turn meanwhile. */
export async function replaceTracks (
  db: Database, playlist: string, edit: PlaylistEdit, { titles, currentIds }: KnownTracks
): Promise<void> {
  const pause = takeTurns()
  const before: Row[] = []
  for (let page: Row[] | undefined; page === undefined || page.length === rowsAtATime;) {
    page = await db.selectFrom('playlist_track').select(['track', 'title', 'place'])
      .where('playlist', '=', playlist).where('place', '>', before.at(-1)?.place ?? -1)
      .orderBy('place').limit(rowsAtATime).execute()
    before.push(...page)
    await pause()
  }
  const kept = new Map(before.map(({ track, title }) => [track, title]))
  const stored = [...kept.keys()]
  const idsOf = await storedIds(stored, edit, currentIds)
  const { tracks: left } = applyEdit(stored, {
    ...edit, tracks: edit.tracks && idsOf(edit.tracks), seen: edit.seen && idsOf(edit.seen), add: []
  })
  const { removed, added: come } = applyEdit(stored, { tracks: idsOf([...left, ...edit.add ?? []]) })
  const gone = removed.map(place => stored[place]!)
  for (let from = 0; from < gone.length; from += rowsAtATime) {
    await db.deleteFrom('playlist_track').where('playlist', '=', playlist)
      .where('track', 'in', gone.slice(from, from + rowsAtATime)).execute()
    await pause()
  }
  let next = Number(before.at(-1)?.place ?? 0) + 1
  for (let from = 0; from < come.length; from += rowsAtATime) {
    const page = come.slice(from, from + rowsAtATime)
    const known = titles(page.filter(track => !kept.has(track)))
    await db.insertInto('playlist_track').values(page.map(track => {
      const title = kept.get(track) ?? known.get(track)
      if (title === undefined) throw new NotFoundError(`Track not found: ${track}`)
      return { playlist, track, place: next++, title }
    })).execute()
    await pause()
  }
  await db.updateTable('playlist').set({ next_place: next }).where('id', '=', playlist).execute()
}
