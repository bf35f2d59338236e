import type { FastifyInstance } from 'fastify'
import { endWhileStarting } from './end-while-starting.ts'
import { ignoreHangUp } from './door/ignore-hang-up.ts'
import { misspeltSettings } from './monitoring/misspelt-settings.ts'
import { needFiles } from './door/need-files.ts'
import { readSettings } from './start/settings.ts'
import { StartError } from './start/start-error.ts'

// fastify-cli makes the server, with some of the settings, before it calls `app`.
try {
  needFiles()
  readSettings(process.env)
} catch (error) {
  endWithError(error)
}

// It takes seconds to load the rest on a small machine.
const loaded = endWhileStarting()

// Loaded here, after what takes no time to be told is told: what is loaded while the server starts counts for the time
// limit of its plugins.
const { serveFolder } = await import('./serve-folder.ts')
export const { options } = await import('./door/server-options.ts')

/**
 * What fastify-cli starts. It prints an error with its stack, which helps nobody whose folder is missing: what the user
 * can put right is told here in one line.
 */
export default async function app (app: FastifyInstance, _options: object): Promise<void> {
  const started = endWhileStarting()
  loaded()
  try {
    app.server.once('error', ({ message }) =>
      endWith(`PORT must be free, and FASTIFY_ADDRESS one of this machine: ${message}`))
    const settings = readSettings(process.env)
    for (const line of misspeltSettings(process.env)) app.log.warn(line)
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
