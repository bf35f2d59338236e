import { withinTime } from '../async/timed-call.ts'
import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { DownloadUrl } from '../media/internal.ts'
import type { OwnRoute } from './page-routes.ts'

/** Registers the page's route that returns download URLs. */
export const registerDownloads = (route: OwnRoute, downloadUrl: DownloadUrl): void =>
  route('GET download', async ({ context, call, session, parameters: { kind, id } }) => {
    if (!session.has('getTrackUrl')) throw new UnsupportedFeatureError()
    const named = await withinTime(call, () => downloadUrl(kind, id, context))
    // A track without a download URL uses its playback URL, also in Subsonic apps.
    const url = named ?? (kind === 'track' ? (await session.read('getTrackUrl', id))?.url : undefined)
    if (url === undefined) throw new NotFoundError('This cannot be downloaded')
    return { url }
  })
