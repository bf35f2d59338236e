import type { Readable } from 'node:stream'
import type { FastifyInstance, InjectOptions } from 'fastify'

/** The origin of an app that is called without a socket. */
export const injectOrigin = 'http://localhost'

/** Statuses of redirects, and the maximum number of followed redirects, as in fetch. */
const redirects = [301, 302, 303, 307, 308]
const maximumRedirects = 20

/** The part of a Fastify instance that is used. */
export type Injectable = Pick<FastifyInstance, 'inject'>

/**
 * Creates a `fetch` that calls a Fastify instance without a socket, and no other origin. A redirect to another origin
 * is returned as the response.
 */
export function createInjectFetch (app: Injectable): typeof globalThis.fetch {
  return (input, init) => injectFetch(input, init, maximumRedirects)

  async function injectFetch (
    input: Parameters<typeof globalThis.fetch>[0], init: RequestInit = {}, left: number
  ): Promise<Response> {
    const url = new URL(String(input))
    if (url.origin !== injectOrigin) throw new Error(`${url.origin} is not this app`)
    const response = await app.inject({
      method: init.method as NonNullable<InjectOptions['method']>,
      url: url.href.slice(injectOrigin.length),
      headers: init.headers as Record<string, string>,
      // The body of a radio stream is endless.
      payloadAsStream: true,
      ...(init.body === undefined ? {} : { payload: init.body as string })
    })
    // A reader that stops aborts the request, like a client that disconnects. Inject's own signal would end the
    // process.
    const stream = response.stream().once('close', () => response.raw.res.destroy())
    init.signal?.addEventListener('abort', () => stream.destroy())
    if (init.signal?.aborted) stream.destroy()
    const { location } = response.headers
    if (location !== undefined && redirects.includes(response.statusCode) && init.redirect !== 'manual') {
      const next = new URL(location, url)
      if (next.origin === injectOrigin) {
        stream.destroy()
        if (left === 0) throw new Error('too many redirects')
        return injectFetch(next, init, left - 1)
      }
    }
    const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const body = [204, 304].includes(response.statusCode) ? null : bodyOf(stream)
    return new Response(body, { status: response.statusCode, headers })
  }
}

/** Converts a stream. `Readable.toWeb` may fail with an uncaught error when its reader stops (Node 20). */
function bodyOf (stream: Readable): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull (controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => { stream.destroy() }
  }, { highWaterMark: 0 })
}
