import type { FastifyInstance, InjectOptions } from 'fastify'

/** The origin of an app that is asked without a socket. */
export const injectOrigin = 'http://localhost'

/** The part of a Fastify instance that is used. */
export type Injectable = Pick<FastifyInstance, 'inject'>

/** A `fetch` that reaches a Fastify instance without a socket, and no other origin. */
export const createInjectFetch = (app: Injectable): typeof globalThis.fetch =>
  async function injectFetch (input, init = {}) {
    const url = new URL(String(input))
    if (url.origin !== injectOrigin) throw new Error(`${url.origin} is not this app`)
    const response = await app.inject({
      method: init.method as NonNullable<InjectOptions['method']>,
      url: url.href.slice(injectOrigin.length),
      headers: init.headers as Record<string, string>,
      ...(init.body === undefined ? {} : { payload: init.body as string })
    })
    const { location } = response.headers
    if (location !== undefined && init.redirect !== 'manual') return injectFetch(new URL(location, url), init)
    const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const body = [204, 304].includes(response.statusCode) ? null : new Uint8Array(response.rawPayload)
    return new Response(body, { status: response.statusCode, headers })
  }
