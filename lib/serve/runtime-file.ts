import type { FastifyInstance } from 'fastify'
import { openRegistrations } from '../routes/index.ts'
import { localOrigin } from './links.ts'
import { writeRunning } from './running-source.ts'

/**
 * Writes the address and the token of the running server to a file, for `source-origin check`. Only this user can read
 * the file. It is removed when the server closes. Call it before `listen`. If there are several sources, the file
 * contains the first one.
 *
 * @param dataDir folder of the file, created if it is missing
 */
export function writeRuntimeFile (app: FastifyInstance, { token, dataDir }: { token: string, dataDir: string }): void {
  let forget = async () => {}
  let writing = Promise.resolve()
  const registrations = openRegistrations(app)
  app.addHook('onListen', async () => {
    const [prefix = app.prefix] = registrations.keys()
    writing = writeRunning(dataDir, { url: localOrigin(app) + prefix, token }).then(written => { forget = written })
    await writing
  })
  app.addHook('onClose', async () => {
    // The server may close before the file is written.
    await Promise.allSettled([writing])
    await forget()
  })
}
