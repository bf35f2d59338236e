import type { FastifyHttpOptions } from 'fastify'
import { serverOptions } from 'fastify-source-origin/serve'
import type { Server } from 'node:http'
import { mendUrl } from './mend-url.ts'

/** The server options that fastify-cli uses with the flag `--options`. */
export const options: FastifyHttpOptions<Server> = {
  ...serverOptions,
  rewriteUrl: mendUrl,
  // The time limit of the start in milliseconds. The start waits for migrations of other processes; a signal ends it.
  pluginTimeout: 600_000
}
