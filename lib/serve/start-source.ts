import type { FastifyInstance } from 'fastify'
import { randomBytes } from 'node:crypto'
import { aPublicUrl } from '../options/member-rules.ts'
import { openRegistrations } from '../routes/index.ts'
import { endSoon } from './end-soon.ts'
import { keptSecret } from './kept-secret.ts'
import { localOrigin, signInLink } from './links.ts'
import { noteRunning } from './note-running.ts'

/** What a source needs of its environment. */
export interface StartSettings {
  /** What callers send as their `Authorization` header: `SOURCE_API_TOKEN`. */
  readonly token: string
  /** Encrypts sessions and signs URLs of media, 32 bytes or more: `SOURCE_SECRET`. */
  readonly secret: string
  /** Where clients reach this server, without a slash at the end: `PUBLIC_URL`. */
  readonly publicUrl: string | undefined
  /** Folder for what is to be there after a restart: `DATA_DIR`. */
  readonly dataDir: string
}

/**
 * Starts a source with the settings of its environment: `SOURCE_API_TOKEN`, `SOURCE_SECRET`, `PUBLIC_URL`, `HOST`
 * (default `localhost`), `PORT` (3000), `DATA_DIR` (`data`) and `NODE_ENV`. Outside production, a token and a secret
 * that are not set are made and kept in `DATA_DIR`, and a link to the page is printed. SIGINT and SIGTERM close it, and
 * end the process, five seconds later where something keeps it running.
 *
 * @param build makes the server, which does not listen yet
 * @throws what `build` throws. A wrong setting and a port that is taken end the process with one line that names it
 * @see docs/guide/serve.md
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
    return String(await keptSecret(DATA_DIR, file, () => Buffer.from(randomBytes(16).toString('hex'))))
  }
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) refuse('PORT must be a whole number from 0 to 65535')
  if (PUBLIC_URL && !aPublicUrl.holds(PUBLIC_URL)) refuse(`PUBLIC_URL must be ${aPublicUrl.must}`)
  const token = await setting('SOURCE_API_TOKEN', 'token')
  const secret = await setting('SOURCE_SECRET', 'secret')
  if (Buffer.byteLength(secret) < 32) refuse('SOURCE_SECRET must have 32 bytes or more')
  const app = await build({ token, secret, publicUrl: PUBLIC_URL || undefined, dataDir: DATA_DIR })
  if (!isProduction) {
    noteRunning(app, { token, dataDir: DATA_DIR })
    const registrations = openRegistrations(app)
    app.addHook('onListen', async () => {
      const pages = [...registrations.values()].flatMap(({ page = [] }) => page)
      for (const page of pages) process.stdout.write(`Listen: ${signInLink(localOrigin(app) + page, token)}\n`)
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await app.close()
      endSoon(app.log)
    })
  }
  await app.listen({ host: HOST, port: Number(PORT) }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error
    refuse(`PORT must be free, and HOST a name of this machine: ${error.message}`)
  })
  return app
}

/** Ends the process: a stack says nothing to whoever has to change a setting. */
function refuse (message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
