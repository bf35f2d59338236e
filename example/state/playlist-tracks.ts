import { applyEdit, NotFoundError, createYield, type PlaylistEdit } from 'fastify-source-origin'
import type { Database } from './state-database.ts'

interface Row { readonly track: string, readonly title: string, readonly place: number }

/** The maximum number of rows per statement. */
const rowsAtATime = 500

/** Functions for existing tracks. */
export interface TrackIndex {
  /** Returns the titles of the tracks that exist. */
  readonly titles: (tracks: readonly string[]) => ReadonlyMap<string, string>
  /** Returns the current ids of the tracks that exist. */
  readonly currentIds: (tracks: Iterable<string>) => Promise<ReadonlyMap<string, string>>
}

/**
 * Maps ids to the ids under which a playlist stores the tracks, which may be former ids: each stored id once, in the
 * order of the input.
 */
async function storedIds (
  before: readonly string[], { tracks = [], base = [], add = [] }: PlaylistEdit, currentIds: TrackIndex['currentIds']
): Promise<(wanted: readonly string[]) => string[]> {
  const current = await currentIds(new Set([...before, ...tracks, ...base, ...add]))
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

/**
 * Replaces the tracks of a playlist: unchanged tracks come first, in order, then the added ones. Yields to the event
 * loop in between.
 */
export async function replaceTracks (
  db: Database, playlist: string, edit: PlaylistEdit, { titles, currentIds }: TrackIndex
): Promise<void> {
  const pause = createYield()
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
    ...edit, tracks: edit.tracks && idsOf(edit.tracks), base: edit.base && idsOf(edit.base), add: []
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
