import type { FastifyInstance } from 'fastify'
import { endWhileStarting } from './end-while-starting.ts'
import { ignoreHangUp } from './server/ignore-hang-up.ts'
import { misspeltSettings } from './monitoring/misspelt-settings.ts'
import { needFiles } from './server/need-files.ts'
import { readSettings } from './start/settings.ts'
import { StartError } from './start/start-error.ts'

// The settings are checked here, because fastify-cli creates the server with some of them before it calls `app`.
try {
  needFiles()
  readSettings(process.env)
} catch (error) {
  endWithError(error)
}

// Loading the other modules takes seconds on a small machine.
const loaded = endWhileStarting()

// These modules are loaded here, after the quick checks. Inside `app`, their loading time would count for the time
// limit of plugins.
const { serveFolder } = await import('./serve-folder.ts')
export const { options } = await import('./server/server-options.ts')

/**
 * The plugin that fastify-cli starts. fastify-cli would print errors with a stack trace. Errors that the user can fix,
 * such as a missing folder, are printed here in one line.
 */
export default async function app (app: FastifyInstance, _options: object): Promise<void> {
  const started = endWhileStarting()
  loaded()
  try {
    app.server.once('error', ({ message }) =>
      endWith(`PORT must be free, and FASTIFY_ADDRESS one of this machine: ${message}`))
    const settings = readSettings(process.env)
    for (const ignored of misspeltSettings(process.env)) app.log.warn(ignored, 'setting ignored')
    ignoreHangUp(app)
    await serveFolder(app, settings)
  } catch (error) {
    endWithError(error)
  } finally {
    started()
  }
}

function endWithError (error: unknown): never {
  if (!(error instanceof StartError)) throw error
  endWith(error.message)
}

function endWith (message: string): never {
  console.error(message)
  process.exit(1)
}
