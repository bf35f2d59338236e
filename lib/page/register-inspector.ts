import type { FastifyInstance } from 'fastify'
import { operations } from '../contract/operations.ts'
import { schemasOf } from '../contract/schemas-of.ts'
import type { OwnRoute } from './page-routes.ts'

/** Registers the routes that the view *For authors* needs from the server: the parameter schemas, and the check. */
export function registerInspector (app: FastifyInstance, path: string, route: OwnRoute): void {
  const described = Object.fromEntries(operations.map(({ adapterMethod }) => {
    const { summary, parameters } = schemasOf(adapterMethod)
    return [adapterMethod, { summary, parameters }]
  }))
  app.get(
    `${path}page/operations.json`, { schema: { hide: true } },
    (_request, reply) => reply.header('cache-control', 'no-cache').send(described)
  )

  const check = `${path}page/check`
  route('POST check', async ({ call: { authorization, signal, request } }) => {
    const { checkSource } = await import('../check/index.ts')
    // Browsers hide redirects and headers, so the check runs on the server, for authorised requests. Servers may accept
    // the path in other case, and with a trailing slash.
    const path = request.url.split('?')[0]!
    const prefix = path.slice(0, path.toLowerCase().lastIndexOf(check.toLowerCase()))
    return checkSource({ app, authorization, prefix, signal })
  })
}
