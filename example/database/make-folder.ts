import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents, accessible only for this user. The option `recursive` of Node.js never
 * returns if the system reports an existing parent as missing, such as in /proc.
 */
export async function makeFolder (folder: string): Promise<void> {
  if (existsSync(folder)) return
  await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch(error => {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error
  })
}
