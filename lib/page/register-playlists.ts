import { BadRequestError, UnsupportedFeatureError } from '../contract/errors.ts'
import { readWhole } from '../async/read-whole.ts'
import { extras } from '../../schemas/extras.ts'
import { withinTime } from '../async/timed-call.ts'
import { editPlaylist, maxIds, sharePlaylist } from '../source/index.ts'
import type { OwnRoute } from './page-routes.ts'

/** Registers the page's routes for playlists. */
export function registerPlaylists (route: OwnRoute): void {
  registerChange(route)
  registerWhole(route)
  registerSharing(route)
}

/** Registers the routes for sharing a playlist, and for the editable playlists of other accounts. */
function registerSharing (route: OwnRoute): void {
  route('GET sharing', async ({ session, context: { adapter }, call, parameters: { id } }) => {
    if (!session.has('sharePlaylist')) return {}
    if (id !== undefined) return withinTime(call, async () => await adapter.getPlaylistSharing?.(id) ?? {})
    const lists = await session.read('getUserPlaylist') ?? []
    return { editable: lists.filter(list => list[extras]?.readOnly === false).map(({ id }) => id) }
  })

  route('POST sharing', async ({ session, parameters: { id, everyone, people = [] } }) => {
    await sharePlaylist(
      session, id, { everyone, people: Object.fromEntries(people.map(({ name, may }) => [name, may])) }
    )
    return { success: true }
  })
}

const registerWhole = (route: OwnRoute): void =>
  route('GET playlist', async ({ session, parameters: { id, trackLimit, sort, order } }) => {
    const data = await session.read('getPlaylistDetail', id, trackLimit, sort, order)
    if (data === undefined) throw new UnsupportedFeatureError()
    return data
  })

/**
 * Registers the route that adds and removes several tracks atomically, even if the browser disconnects. Without an `id`
 * a new playlist called `name` is created.
 */
const registerChange = (route: OwnRoute): void =>
  route('POST playlist', async ({ session, parameters: { remove = [], seen: base, ...edit } }) => {
    const { id, name } = edit
    if (id === undefined && name === undefined) throw new BadRequestError('Parameter id or name is required')
    const stored = id !== undefined && remove.length > 0
      ? await readWhole(limit => session.readAgain('getPlaylistDetail', id, limit))
      : undefined
    if (stored === undefined) return editPlaylist(session, { ...edit, base })
    const ids = stored.tracks.map(track => track.id)
    const places = placesOf(ids, remove)
    if (edit.tracks !== undefined || ids.length > maxIds) {
      return editPlaylist(session, { ...edit, base, remove: [...places] })
    }
    // Another app may change the list meanwhile, and positions would then remove other tracks.
    return editPlaylist(session, { ...edit, base: ids, tracks: ids.filter((_id, place) => !places.has(place)) })
  })

/** Returns the positions of removed tracks: for each id the last copy. */
function placesOf (ids: readonly string[], remove: readonly string[]): Set<number> {
  const left = new Map<string, number>()
  for (const id of remove) left.set(id, (left.get(id) ?? 0) + 1)
  return new Set([...ids.keys()].reverse().filter(place => {
    const count = left.get(ids[place]!) ?? 0
    left.set(ids[place]!, count - 1)
    return count > 0
  }))
}
