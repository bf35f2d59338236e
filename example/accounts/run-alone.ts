import fastify from 'fastify'
import { signInLinks } from '../start/addresses.ts'
import { MusicFolder } from '../index/music-folder.ts'
import { openTranscoder } from '../media/open-transcoder.ts'
import { otherLogins } from './logins.ts'
import { openServices } from '../services/open-services.ts'
import type { Settings } from '../start/settings.ts'
import { lockDataDir } from '../database/lock-data-dir.ts'
import { openAccounts } from './open-accounts.ts'
import { runCommand } from './run-command.ts'

/** Runs a command of `npm run account` in this process, which owns the data folder during the command. */
export async function runAlone (settings: Settings, args: readonly string[], input: string): Promise<string> {
  const app = fastify()
  const { log } = app
  const claim = await lockDataDir(settings.DATA_DIR, socket => socket.destroy())
  const { accounts, state, seal } = await openAccounts(settings, '', log)
  // A scan includes all files that the server lists.
  const isTranscoding = await openTranscoder(app, settings) !== undefined
  const folder = await MusicFolder.open(settings.MUSIC_DIR, settings.DATA_DIR, log, isTranscoding)
  const services = openServices(settings)
  try {
    const others = otherLogins(settings)
    const linkOf = signInLinks(settings)
    return await runCommand({ accounts, state, seal, services, others, folder, linkOf }, args, input)
  } finally {
    for (const service of services.values()) await service.close()
    await state.close()
    await folder.close()
    await app.close()
    await claim.release()
  }
}
