import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { connectToOwner } from '../database/lock-data-dir.ts'
import { StartError } from '../start/start-error.ts'
import { readSettings } from '../start/settings.ts'
import { callServer } from './control-socket.ts'
import { readInput, usages } from './read-input.ts'
import { usage } from './usage.ts'

/**
 * Runs a command of `npm run account`: in the server if one runs on this data folder, since an embedded database has
 * one owner.
 *
 * @returns the text to print
 * @throws StartError if the command or a setting is not valid
 */
export async function accountCommand (args: string[], env: NodeJS.ProcessEnv, stdin: Readable): Promise<string> {
  if (args.some(argument => argument === '--help' || argument === '-h')) return usage
  const settings = readSettings(env)
  if (settings.STATELESS === 'true') throw new StartError('STATELESS is true, so there are no accounts')
  if (args.length === 0) throw new StartError(usage)
  if (args[0] === 'backup' || args[0] === 'restore') {
    // The working directory of the server differs, and npm changes the working directory of this process.
    const absolute = (file: string) => resolve(...[env.INIT_CWD, file].filter(part => part !== undefined))
    args.splice(1, Infinity, ...args.slice(1).map(absolute))
  }
  const [command] = args as [string]
  const reads = Object.hasOwn(usages, command)
  const input = reads ? await readInput(stdin, command as keyof typeof usages) : ''
  const server = await connectToOwner(settings.DATA_DIR)
  if (server !== undefined) return callServer(server, args, input)
  // Loading this takes most of the time of a command, and a running server does not need it.
  const { runAlone } = await import('./run-alone.ts')
  return runAlone(settings, args, input)
}
