import type { FastifyInstance, InjectOptions } from 'fastify'

/** The host name that an app is asked under when there is no socket. */
export const injectOrigin = 'http://localhost'

/** What is needed of a Fastify instance. */
export type Injectable = Pick<FastifyInstance, 'inject'>

/** A `fetch` that asks a Fastify instance without a socket, and nothing else: another origin is not reachable. */
export const createInjectFetch = (app: Injectable): typeof globalThis.fetch => async function injectFetch (input, init = {}) {
  const url = new URL(String(input))
  if (url.origin !== injectOrigin) throw new Error(`${url.origin} is not this app`)
  const response = await app.inject({
    method: init.method as InjectOptions['method'],
    url: url.href.slice(injectOrigin.length),
    headers: init.headers as Record<string, string>,
    payload: init.body as string | undefined
  })
  const { location } = response.headers
  if (location !== undefined && init.redirect !== 'manual') return injectFetch(new URL(location, url), init)
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string])
  const body = [204, 304].includes(response.statusCode) ? null : new Uint8Array(response.rawPayload)
  return new Response(body, { status: response.statusCode, headers })
}
