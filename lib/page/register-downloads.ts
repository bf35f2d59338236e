import { withinTime } from '../async/timed-call.ts'
import { BadRequestError, NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import { downloadKinds, type DownloadUrl } from '../media/internal.ts'
import type { OwnRoute } from './own-routes.ts'

/** The page's own route that says where something is saved from. */
export const registerDownloads = (route: OwnRoute, downloadUrl: DownloadUrl): void =>
  route('GET', 'download', async ({ context, call, asker, query }) => {
    const kind = downloadKinds.find(kind => kind === query.get('kind'))
    const id = query.get('id')?.trim()
    if (kind === undefined) throw new BadRequestError(`Parameter kind must be ${downloadKinds.join(', ')}`)
    if (!id) throw new BadRequestError('Parameter id is required')
    if (!asker.has('getTrackUrl')) throw new UnsupportedFeatureError()
    const url = await withinTime(call, () => downloadUrl(kind, id, context))
    if (url === undefined) throw new NotFoundError('This cannot be downloaded')
    return { url }
  })
