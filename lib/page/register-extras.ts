import { extras, type TrackExtras } from '../../schemas/extras.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { BadRequestError } from '../contract/errors.ts'
import { isId, type OwnRoute } from './own-routes.ts'
import type { ShownExtras } from './shown-extras.ts'

/** Tracks that one request is for. */
const mostTracks = 50
/** Calls of the adapter at once. */
const concurrency = 4

/** The page's own route of what `/v1` never sends: extras of an album with its tracks, or of some tracks. */
export const registerExtras = (route: OwnRoute): void =>
  route('GET', 'extras', async ({ asker, query }): Promise<ShownExtras> => {
    const album = query.get('album')
    const ids = [...new Set(query.getAll('track'))]
    const isOfAlbum = isId(album) && ids.length === 0
    const isOfTracks = album === null && ids.length > 0 && ids.length <= mostTracks && ids.every(isId)
    if (!isOfAlbum && !isOfTracks) {
      throw new BadRequestError(`One parameter album, or 1 to ${mostTracks} parameters track, must be ids`)
    }
    const found = new Map<string, TrackExtras>()
    const note = (id: string, more: TrackExtras | undefined) => { if (more !== undefined) found.set(id, more) }
    if (isOfAlbum) {
      const detail = await asker.find('getAlbumDetail', album, -1)
      for (const { id, [extras]: more } of detail?.tracks ?? []) note(id, more)
      return { album: detail?.[extras], tracks: Object.fromEntries(found) }
    }
    await forEachLimited(ids, concurrency, async id => note(id, (await asker.find('getTrackDetail', id))?.[extras]))
    return { tracks: Object.fromEntries(found) }
  })
