import type { FastifyRequest } from 'fastify'
import { SourceError } from '../../contract/errors.ts'
import { requestOrigin } from '../../text/request-origin.ts'

/**
 * Rejects requests that pages of other sites send. Browsers send `Sec-Fetch-Site` only over https and to this machine,
 * and `Origin` with each POST.
 *
 * @throws SourceError 403
 */
export function requireSameOrigin (request: FastifyRequest, publicUrl: string | undefined): void {
  const { 'sec-fetch-site': site, origin } = request.headers
  const own = [publicUrl, requestOrigin(request)].filter(url => url !== undefined).map(url => new URL(url).origin)
  const isOwn = site === undefined ? origin === undefined || own.includes(origin) : site === 'same-origin'
  if (!isOwn) throw new SourceError(403, 'A page of another site has sent this request')
}
