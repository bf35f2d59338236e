import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncToDisk } from '../database/keep-on-disk.ts'
import { fileNameOf } from '../media/file-name.ts'
import { StartError } from '../start/start-error.ts'
import type { State } from '../state/state.ts'
import { exportAccount } from './transfer.ts'

/** Counts the playlists and favourites of an account. */
export async function countStored (
  state: State, account: string
): Promise<{ playlists: number, favorites: number }> {
  const lists = await state.playlists.list(account)
  const { favorites } = await state.viewer(account)
  return {
    playlists: lists.length, favorites: [...favorites.values()].reduce((sum, { ids }) => sum + ids.length, 0)
  }
}

/** Requests a confirmation of a removal, which cannot be undone. */
export async function askToRemove (state: State, account: string, given: string): Promise<never> {
  const { playlists, favorites } = await countStored(state, account)
  throw new StartError(`This removes the account ${account}: its tokens, app passwords and plays, ` +
    `${playlists} playlists and ${favorites} favourites. If that is meant, say its name as it is written here: ` +
    `npm run account -- remove ${quoted(given)} ${quoted(account)}`)
}

const quoted = (name: string) => /^[\p{L}\p{N}._-]+$/u.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`

/**
 * Exports the data of an account before its removal.
 *
 * @returns the path of the file, which `import` accepts
 */
export async function leaveExport (state: State, account: string, dataDir: string): Promise<string> {
  const folder = join(dataDir, 'removed')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${fileNameOf(account)} ${new Date().toISOString().replaceAll(':', '-')}.json`)
  // The file is renamed at the end, so that a partial file never has the final name.
  await writeFile(`${file}.new`, await exportAccount(state, account), { mode: 0o600 })
  syncToDisk(`${file}.new`)
  await rename(`${file}.new`, file)
  return file
}
