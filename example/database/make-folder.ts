import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, for this user alone, and those above that are missing. The option `recursive` of Node.js never comes
 * to an end where the system says that a folder above is missing and it is not, as in /proc.
 */
export async function makeFolder (folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch(error => {
    // Another process may have made it.
    if (!existsSync(folder)) throw error
  })
}
