import type { FastifyHttpOptions } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, Server } from 'node:http'

/**
 * The options of `fastify()` for a source. Older clients write paths in other ways, Subsonic apps send a complete queue
 * in a URL, and proxies hold connections for two minutes.
 *
 * @see docs/guide/own-server.md, A host of your own
 */
export const serverOptions = {
  routerOptions: {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    // For a longer parameter, Fastify would send its own error response, which contains the URL.
    maxParamLength: 262_144
  },
  rewriteUrl: mendUrl,
  genReqId,
  // The interval in milliseconds at which Node.js checks for requests that exceed `requestTimeout`.
  http: { maxHeaderSize: 262_144, connectionsCheckingInterval: 5000 },
  // In milliseconds. Longer than the timeout of proxies (Caddy: two minutes), so that no proxy sends a request while
  // the source closes the connection.
  keepAliveTimeout: 130_000,
  // The time limit in milliseconds in which a complete request must arrive.
  requestTimeout: 60_000,
  // Requests are answered between the first 503 of /ready and the closing.
  return503OnClosing: false
} satisfies FastifyHttpOptions<Server>

/**
 * Returns the `X-Request-Id` of a request, or a new id. Fastify's `requestIdHeader` would accept an id of any length.
 */
function genReqId ({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = String(headers['x-request-id'] ?? '')
  return /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID()
}

/**
 * Returns the URL for the router. If Fastify cannot decode a URL, it responds before any hook or route, with the query
 * in the response. This function escapes such a URL, so that the same protocol rejects it like any unknown URL.
 */
function mendUrl ({ url = '/' }: { url?: string | undefined }): string {
  const [path = ''] = url.split(/[?#]/, 1)
  // `OPTIONS *` has no path.
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
