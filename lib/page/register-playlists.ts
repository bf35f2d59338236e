import { BadRequestError, UnsupportedFeatureError } from '../contract/errors.ts'
import { editPlaylist, readWhole } from '../source/index.ts'
import { isId, type OwnRoute } from './own-routes.ts'

/** The page's own routes of playlists. */
export function registerPlaylists (route: OwnRoute): void {
  registerChange(route)
  registerWhole(route)
}

/** A playlist with as many tracks as it says it has: clients of `/v1` cannot ask for more than 1,000. */
const registerWhole = (route: OwnRoute): void =>
  route('GET', 'playlist', async ({ asker, query }) => {
    const id = query.get('id')
    const [sort, order] = [query.get('sort') || undefined, query.get('order') === 'desc' ? 'desc' : 'asc'] as const
    if (!isId(id)) throw new BadRequestError('Parameter id must be that of a playlist')
    const data = await readWhole(
      limit => asker.read('getPlaylistDetail', id, limit, sort, sort === undefined ? undefined : order)
    )
    if (data === undefined) throw new UnsupportedFeatureError()
    return data
  })

/**
 * Several tracks of a playlist: all of them are added or removed, or none, whether the browser
 * is there at the end or not. Without an `id` a new one is made, called `name`.
 */
const registerChange = (route: OwnRoute): void =>
  route('POST', 'playlist', async ({ asker, body }) => {
    const { remove, ...edit } = readEdit(body)
    const gone = new Set(remove)
    const stored = edit.id !== undefined && gone.size > 0
      ? await readWhole(limit => asker.readAgain('getPlaylistDetail', edit.id!, limit))
      : undefined
    const places = stored?.tracks.flatMap((track, place) => gone.has(track.id) ? [place] : [])
    return editPlaylist(asker, { ...edit, remove: places })
  })

function readEdit (body: unknown) {
  const { id, name, description, tracks, add = [], remove = [] } = Object(body) as Record<string, unknown>
  const isNew = id === undefined
  if (isNew ? typeof name !== 'string' || name.trim() === '' : !isId(id)) {
    throw new BadRequestError('Parameter id must be that of a playlist; without it, name must be a text')
  }
  for (const ids of [tracks ?? [], add, remove]) {
    if (!Array.isArray(ids) || !ids.every(isId)) {
      throw new BadRequestError('Parameters tracks, add and remove must list ids')
    }
  }
  if (isNew && description !== undefined && typeof description !== 'string') {
    throw new BadRequestError('Parameter description must be a text')
  }
  return { id, add, remove, ...isNew ? { name, description } : { tracks } } as {
    id?: string, name?: string, description?: string, tracks?: string[], add: string[], remove: string[]
  }
}
