import type { FastifyInstance } from 'fastify'
import { openRegistrations } from '../routes/index.ts'
import { localOrigin } from './links.ts'
import { writeRunning } from './running-source.ts'

/**
 * Says in a file where the server listens and with which token it is called, as long as it runs: `source-origin check`
 * reads it. Only this user can read the file. Call it before `listen`. Of several sources it names the first.
 *
 * @param dataDir folder of the file, made when it is missing
 */
export function noteRunning (app: FastifyInstance, { token, dataDir }: { token: string, dataDir: string }): void {
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
