import type { FastifyInstance } from 'fastify'
import { operations } from '../contract/operations.ts'
import { schemasOf } from '../contract/schemas-of.ts'
import type { OwnRoute } from './own-routes.ts'

/** What the view *For authors* cannot do in a browser: know the schemas of the parameters, and run the check. */
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
    // Browsers hide what the check looks at, redirects and headers, so it runs here, for whoever the source lets in.
    // Hosts may take the path in other case, and with a slash at its end.
    const path = request.url.split('?')[0]!
    const prefix = path.slice(0, path.toLowerCase().lastIndexOf(check.toLowerCase()))
    return checkSource({ app, authorization, prefix, signal })
  })
}
