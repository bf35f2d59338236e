import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withinTime } from '../async/timed-call.ts'
import { BadRequestError, NotFoundError } from '../contract/errors.ts'
import { downloadKinds, type DownloadUrl } from '../media/internal.ts'
import { resolveRequest, type RegisteredSource } from '../routes/index.ts'

/** The page's own route that says where something is saved from. */
export function registerDownloads (
  app: FastifyInstance, path: string, downloadUrl: DownloadUrl, source: RegisteredSource
): void {
  app.get(`${path}page/download`, { schema: { hide: true } }, async (request: FastifyRequest, reply) => {
    reply.headers({ 'cache-control': 'no-store', vary: 'authorization' })
    const { context, call } = await resolveRequest(source, request, reply)
    const query = new URLSearchParams(request.url.split('?')[1])
    const kind = downloadKinds.find(kind => kind === query.get('kind'))
    const id = query.get('id')?.trim()
    if (kind === undefined) throw new BadRequestError(`Parameter kind must be ${downloadKinds.join(', ')}`)
    if (!id) throw new BadRequestError('Parameter id is required')
    const url = await withinTime(call, () => downloadUrl(kind, id, context))
    if (url === undefined) throw new NotFoundError('This cannot be downloaded')
    return { code: 200, data: { url } }
  })
}
