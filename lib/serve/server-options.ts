import type { FastifyHttpOptions } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, Server } from 'node:http'

/**
 * What `fastify()` is made with for a source. Older clients write paths in other ways, Subsonic apps send a whole queue
 * in a URL, and proxies keep connections for two minutes.
 *
 * @see docs/guide/own-server.md, A host of your own
 */
export const serverOptions = {
  routerOptions: {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    // Fastify would answer a longer one by itself, with the URL in the answer.
    maxParamLength: 262_144
  },
  rewriteUrl: mendUrl,
  genReqId,
  // In milliseconds: how often Node.js looks for requests that have not arrived in time.
  http: { maxHeaderSize: 262_144, connectionsCheckingInterval: 5000 },
  // Longer than proxies keep theirs (Caddy: two minutes), or one sends a request as the source closes.
  keepAliveTimeout: 130_000,
  // Milliseconds until all of a request is there.
  requestTimeout: 60_000,
  // Between the first 503 of /ready and the closing, requests are answered.
  return503OnClosing: false
} satisfies FastifyHttpOptions<Server>

/** The `X-Request-Id` of a request, or a new id: `requestIdHeader` of Fastify would take one of any length. */
function genReqId ({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = String(headers['x-request-id'] ?? '')
  return /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID()
}

/**
 * The URL that the routes get. Fastify answers one that it cannot decode before any hook or route, with the query in
 * the answer. Here it becomes one that leads to the same protocol, which refuses it as any other that it does not know.
 */
function mendUrl ({ url = '/' }: { url?: string | undefined }): string {
  const [path = ''] = url.split(/[?#]/, 1)
  // `OPTIONS *` has none.
  const found = /^(\/|https?:\/\/[^/]+\/)/i.test(path) ? path : '/'
  return (isDecodable(found) ? found : found.replaceAll('%', '%25')) + url.slice(path.length)
}

function isDecodable (path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}
