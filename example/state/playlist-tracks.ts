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
  // A stored id may be a former one of its track.
  const current = await currentIds(new Set(
    [before.map(({ track }) => track), edit.tracks, edit.base, edit.add].flatMap(ids => ids ?? [])))
  const idsOf = (ids: readonly string[] | undefined) => ids?.map(id => current.get(id) ?? id)
  const stored = before.map(({ track }) => current.get(track) ?? track)
  const { removed, added } = applyEdit(
    stored, { ...edit, tracks: idsOf(edit.tracks), base: idsOf(edit.base), add: idsOf(edit.add) })
  const kept = new Map(before.map(({ title }, at) => [stored[at], title]))
  /** The removed rows by current id. A moved track keeps its stored id, which may be another track's again one day. */
  const gone = new Map<string, Row[]>()
  for (const at of removed) {
    const rows = gone.get(stored[at]!) ?? []
    gone.set(stored[at]!, rows)
    rows.push(before[at]!)
  }
  for (let from = 0; from < removed.length; from += rowsAtATime) {
    await db.deleteFrom('playlist_track').where('playlist', '=', playlist)
      .where('place', 'in', removed.slice(from, from + rowsAtATime).map(at => before[at]!.place)).execute()
    await pause()
  }
  let next = Number(before.at(-1)?.place ?? 0) + 1
  for (let from = 0; from < added.length; from += rowsAtATime) {
    const page = added.slice(from, from + rowsAtATime)
    const known = titles(page.filter(track => !kept.has(track)))
    await db.insertInto('playlist_track').values(page.map(id => {
      const { track = id, title = kept.get(id) ?? known.get(id) } = gone.get(id)?.shift() ?? {}
      if (title === undefined) throw new NotFoundError(`Track not found: ${id}`)
      return { playlist, track, place: next++, title }
    })).execute()
    await pause()
  }
  await db.updateTable('playlist').set({ next_place: next }).where('id', '=', playlist).execute()
}
