import fastify from 'fastify'
import { signInLinks } from '../addresses.ts'
import { Library } from '../library.ts'
import type { Settings } from '../settings.ts'
import { claimFolder } from '../store/claim-folder.ts'
import { openAccounts } from './open-accounts.ts'
import { runCommand } from './run-command.ts'

/** Runs a command of `npm run account` in this process, which owns the data folder meanwhile. */
export async function runAlone (settings: Settings, args: readonly string[], input: string): Promise<string> {
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
