import { BadRequestError, NotFoundError, type PlaylistEdit } from 'fastify-source-origin'
import type { Database } from './state-database.ts'

/** Rows of a statement. */
const atATime = 500

/** What is asked of tracks that are there. */
export interface KnownTracks {
  readonly titleOf: (track: string) => string | undefined
  /** Current ids by former ones. */
  readonly currentIds: (tracks: readonly string[]) => ReadonlyMap<string, string>
}

/** The tracks that a playlist is to have. */
function wantedOf (before: readonly string[], { tracks = before, remove = [], add = [] }: PlaylistEdit): string[] {
  const outside = remove.find(place => !(place in before))
  if (outside !== undefined) throw new BadRequestError(`This playlist has no track at the place ${outside}`)
  const removed = new Set(remove)
  return [...tracks.filter((_id, place) => !removed.has(place)), ...add]
}

/** Ids as a playlist has them, which may be others that tracks had before: each of those once, in the order given. */
function storedIds (
  before: readonly string[], wanted: readonly string[], currentIds: KnownTracks['currentIds']
): string[] {
  const current = currentIds([...before, ...wanted])
  const currentOf = (id: string) => current.get(id) ?? id
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

/** What stays comes first, in its order; the rest comes new, at the end. */
export async function replaceTracks (
  db: Database, playlist: string, edit: PlaylistEdit, { titleOf, currentIds }: KnownTracks
): Promise<void> {
  const before = await db.selectFrom('playlist_track').select(['track', 'title', 'place'])
    .where('playlist', '=', playlist).orderBy('place').execute()
  const titles = new Map(before.map(({ track, title }) => [track, title]))
  const wanted = storedIds([...titles.keys()], wantedOf([...titles.keys()], edit), currentIds)
  let stays = 0
  const gone = before.filter(({ track }) => track !== wanted[stays] || !++stays).map(({ track }) => track)
  const next = Number(before.at(-1)?.place ?? 0) + 1
  const rows = wanted.slice(stays).map((track, index) => {
    const title = titles.get(track) ?? titleOf(track)
    if (title === undefined) throw new NotFoundError(`There is no such track: ${track}`)
    return { playlist, track, place: next + index, title }
  })
  for (let from = 0; from < gone.length; from += atATime) {
    await db.deleteFrom('playlist_track').where('playlist', '=', playlist)
      .where('track', 'in', gone.slice(from, from + atATime)).execute()
  }
  for (let from = 0; from < rows.length; from += atATime) {
    await db.insertInto('playlist_track').values(rows.slice(from, from + atATime)).execute()
  }
  await db.updateTable('playlist').set({ next_place: next + rows.length }).where('id', '=', playlist).execute()
}
