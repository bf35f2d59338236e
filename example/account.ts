import fastify from 'fastify'
import { resolve } from 'node:path'
import { signInLinks } from './addresses.ts'
import { callServer } from './accounts/control-socket.ts'
import { openAccounts } from './accounts/open-accounts.ts'
import { readInput } from './accounts/read-input.ts'
import { runCommand, usage } from './accounts/run-command.ts'
import { Library } from './library.ts'
import { readSettings } from './settings.ts'
import { StartError } from './start-error.ts'
import { claimFolder, connectToOwner } from './store/claim-folder.ts'

/**
 * What `npm run account` starts: the server does it if one runs on this data folder, since an embedded database has one
 * owner.
 */
async function run (args: string[]): Promise<string> {
  const settings = readSettings(process.env)
  if (settings.STATELESS === 'true') throw new StartError('There are no accounts, since STATELESS is true')
  if (args.length === 0) throw new StartError(usage)
  if (args[0] === 'backup' || args[0] === 'restore') {
    // The server has another folder, and npm runs this in that of the package.
    const absolute = (file: string) => resolve(...[process.env.INIT_CWD, file].filter(part => part !== undefined))
    args.splice(1, Infinity, ...args.slice(1).map(absolute))
  }
  const input = args[0] === 'import' ? await readInput(process.stdin) : ''
  const server = await connectToOwner(settings.DATA_DIR)
  if (server !== undefined) return callServer(server, args, input)

  const { log } = fastify()
  const claim = await claimFolder(settings.DATA_DIR, socket => socket.destroy())
  const library = await Library.open(settings.MUSIC_DIR, settings.DATA_DIR, log)
  const { accounts, state } = await openAccounts(settings, '', log)
  try {
    return await runCommand({ accounts, state, library, linkOf: signInLinks(settings) }, args, input)
  } finally {
    await state.close()
    await library.close()
    await claim.release()
  }
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
