import type { FastifyInstance } from 'fastify'
import { randomBytes } from 'node:crypto'
import { aPublicUrl } from '../options/member-rules.ts'
import { openRegistrations } from '../routes/index.ts'
import { forceExit } from './force-exit.ts'
import { loadOrCreateSecret } from './load-or-create-secret.ts'
import { localOrigin, signInLink } from './links.ts'
import { writeRuntimeFile } from './runtime-file.ts'

/** Settings read from environment variables. */
export interface StartSettings {
  /** The token that callers send in their `Authorization` header: `SOURCE_API_TOKEN`. */
  readonly token: string
  /** The secret that encrypts sessions and signs media URLs, at least 32 bytes: `SOURCE_SECRET`. */
  readonly secret: string
  /** The URL of this server for clients, without a trailing slash: `PUBLIC_URL`. */
  readonly publicUrl: string | undefined
  /** The folder for persistent data: `DATA_DIR`. */
  readonly dataDir: string
}

/**
 * Starts a source with the settings of its environment: `SOURCE_API_TOKEN`, `SOURCE_SECRET`, `PUBLIC_URL`, `HOST`
 * (default `localhost`), `PORT` (3000), `DATA_DIR` (`data`) and `NODE_ENV`. Outside production, a missing token or
 * secret is created and stored in `DATA_DIR`, and a link to the page is printed. SIGINT and SIGTERM close the server.
 * If a handle is still open five seconds later, the process is ended.
 *
 * @param build creates the server, which does not listen yet
 * @throws the error of `build`. A wrong setting or a port in use ends the process with a one-line message that names
 * it.
 * @see docs/reference/serve.md
 */
export async function startSource (
  build: (settings: StartSettings) => FastifyInstance | Promise<FastifyInstance>
): Promise<FastifyInstance> {
  const { PUBLIC_URL, HOST = 'localhost', PORT = '3000', DATA_DIR = 'data', NODE_ENV } = process.env
  const isProduction = NODE_ENV === 'production'
  const setting = async (name: string, file: string) => {
    const value = process.env[name]
    if (value) return value
    if (isProduction) refuse(`${name} must be set in production`)
    return String(await loadOrCreateSecret(DATA_DIR, file, () => Buffer.from(randomBytes(16).toString('hex'))))
  }
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) refuse('PORT must be a whole number from 0 to 65535')
  if (PUBLIC_URL && !aPublicUrl.holds(PUBLIC_URL)) refuse(`PUBLIC_URL must be ${aPublicUrl.must}`)
  const token = await setting('SOURCE_API_TOKEN', 'token')
  const secret = await setting('SOURCE_SECRET', 'secret')
  if (Buffer.byteLength(secret) < 32) refuse('SOURCE_SECRET must have 32 bytes or more')
  const app = await build({ token, secret, publicUrl: PUBLIC_URL || undefined, dataDir: DATA_DIR })
  if (!isProduction) {
    writeRuntimeFile(app, { token, dataDir: DATA_DIR })
    const registrations = openRegistrations(app)
    app.addHook('onListen', async () => {
      const pages = [...registrations.values()].flatMap(({ page = [] }) => page)
      for (const page of pages) process.stdout.write(`Listen: ${signInLink(localOrigin(app) + page, token)}\n`)
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await app.close()
      forceExit(app.log)
    })
  }
  await app.listen({ host: HOST, port: Number(PORT) }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error
    refuse(`PORT must be free, and HOST a name of this machine: ${error.message}`)
  })
  return app
}

/** Ends the process with a message. A stack trace does not help to correct a setting. */
function refuse (message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
