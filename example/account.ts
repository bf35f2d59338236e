import { resolve } from 'node:path'
import { callServer } from './accounts/control-socket.ts'
import { readInput, usages } from './accounts/read-input.ts'
import { usage } from './accounts/usage.ts'
import { readSettings } from './settings.ts'
import { StartError } from './monitoring/start-error.ts'
import { connectToOwner } from './database/claim-folder.ts'

/**
 * What `npm run account` starts: the server does it if one runs on this data folder, since an embedded database has one
 * owner.
 */
async function run (args: string[]): Promise<string> {
  if (args.some(argument => argument === '--help' || argument === '-h')) return usage
  const settings = readSettings(process.env)
  if (settings.STATELESS === 'true') throw new StartError('There are no accounts, since STATELESS is true')
  if (args.length === 0) throw new StartError(usage)
  if (args[0] === 'backup' || args[0] === 'restore') {
    // The server has another folder, and npm runs this in that of the package.
    const absolute = (file: string) => resolve(...[process.env.INIT_CWD, file].filter(part => part !== undefined))
    args.splice(1, Infinity, ...args.slice(1).map(absolute))
  }
  const [command] = args as [string]
  const reads = Object.hasOwn(usages, command)
  const input = reads ? await readInput(process.stdin, command as keyof typeof usages) : ''
  const server = await connectToOwner(settings.DATA_DIR)
  if (server !== undefined) return callServer(server, args, input)
  // Loads what reads music and keeps accounts, which takes most of the time of a command that a server runs.
  const { runAlone } = await import('./accounts/run-alone.ts')
  return runAlone(settings, args, input)
}

try {
  process.loadEnvFile()
} catch {
  // There is none.
}
try {
  console.log(await run(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}
