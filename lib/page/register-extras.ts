import { extras, type TrackExtras } from '../../schemas/extras.ts'
import { forEachLimited } from '../async/limit-concurrency.ts'
import { BadRequestError } from '../contract/errors.ts'
import type { OwnRoute } from './page-routes.ts'

/** The maximum number of concurrent adapter calls. */
const concurrency = 4

/** Registers the page's route for extras, which `/v1` never sends: an album with its tracks, or some tracks. */
export const registerExtras = (route: OwnRoute): void =>
  route('GET extras', async ({ session, parameters: { album, track = [] } }) => {
    if ((album === undefined) === (track.length === 0)) {
      throw new BadRequestError('Either the parameter album or parameters track are required')
    }
    const found = new Map<string, TrackExtras>()
    const note = (id: string, more: TrackExtras | undefined) => { if (more !== undefined) found.set(id, more) }
    if (album !== undefined) {
      const detail = await session.find('getAlbumDetail', album, -1)
      for (const { id, [extras]: more } of detail?.tracks ?? []) note(id, more)
      return { album: detail?.[extras], tracks: Object.fromEntries(found) }
    }
    await forEachLimited([...new Set(track)], concurrency, async id => {
      note(id, (await session.find('getTrackDetail', id))?.[extras])
    })
    return { tracks: Object.fromEntries(found) }
  })
