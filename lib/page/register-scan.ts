import type { FastifyInstance } from 'fastify'
import { withinTime } from '../async/timed-call.ts'
import { UnsupportedFeatureError } from '../contract/errors.ts'
import { resolveRequest, type RegisteredSource } from '../routes/index.ts'

/** The page's own route of the source's scan: begins one, and tells how far it is. `data` is empty without one. */
export function registerScan (app: FastifyInstance, path: string, source: RegisteredSource): void {
  app.route({
    method: ['GET', 'POST'],
    url: `${path}page/scan`,
    schema: { hide: true },
    async handler (request, reply) {
      reply.headers({ 'cache-control': 'no-store', vary: 'authorization' })
      const { context: { adapter }, call } = await resolveRequest(source, request, reply)
      const isAsked = request.method === 'POST'
      if (typeof adapter.startScan !== 'function') {
        if (isAsked) throw new UnsupportedFeatureError()
        return { code: 200, data: {} }
      }
      const none = { scanning: false }
      return {
        code: 200,
        data: await withinTime(call, () => isAsked ? adapter.startScan!() : adapter.getScanStatus?.() ?? none)
      }
    }
  })
}
