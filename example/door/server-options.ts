import type { FastifyHttpOptions } from 'fastify'
import { serverOptions } from 'fastify-source-origin/serve'
import type { Server } from 'node:http'
import { mendUrl } from './mend-url.ts'

/** What fastify-cli makes the server with, when it is told so by `--options`. */
export const options: FastifyHttpOptions<Server> = {
  ...serverOptions,
  rewriteUrl: mendUrl,
  // Milliseconds for the start: it waits for migrations of other processes. A signal ends it.
  pluginTimeout: 600_000
}
