import { withinTime } from '../async/timed-call.ts'
import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { DownloadUrl } from '../media/internal.ts'
import type { OwnRoute } from './own-routes.ts'

/** The page's own route that says where something is saved from. */
export const registerDownloads = (route: OwnRoute, downloadUrl: DownloadUrl): void =>
  route('GET download', async ({ context, call, asker, parameters: { kind, id } }) => {
    if (!asker.has('getTrackUrl')) throw new UnsupportedFeatureError()
    const url = await withinTime(call, () => downloadUrl(kind, id, context))
    if (url === undefined) throw new NotFoundError('This cannot be downloaded')
    return { url }
  })
