import type { FastifyHttpOptions } from 'fastify'
import type { Server } from 'node:http'
import { mendUrl } from './mend-url.ts'

/**
 * What fastify-cli makes the server with, when it is told so by `--options`. Older clients write paths in these ways,
 * and Subsonic apps send a whole queue in a URL.
 */
export const options: FastifyHttpOptions<Server> = {
  routerOptions: {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    // Fastify would answer a longer one by itself, with the URL in the answer.
    maxParamLength: 262_144
  },
  rewriteUrl: mendUrl,
  // In milliseconds: how often Node.js looks for requests that have not arrived in time.
  http: { maxHeaderSize: 262_144, connectionsCheckingInterval: 5000 },
  // Milliseconds for the start: it waits for migrations of other processes. A signal ends it.
  pluginTimeout: 600_000,
  // Longer than proxies keep theirs (Caddy: two minutes), or one sends a request as the source closes.
  keepAliveTimeout: 130_000,
  // Milliseconds until all of a request is there.
  requestTimeout: 60_000,
  // Between the first 503 of /ready and the closing, requests are answered.
  return503OnClosing: false
}
