import { randomBytes } from 'node:crypto'
import { mkdir, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../open-regular-file.ts'
import { StartError } from '../start-error.ts'

const bytes = 32

/**
 * The key that media URLs are signed with. It is random, so that a URL tells nothing of the token, and kept in the data
 * folder, so that URLs outlive a restart. A data folder that is missing is made, for this user alone.
 *
 * @throws StartError when the folder cannot be written to
 */
export async function loadMediaKey (dataDir: string): Promise<Buffer> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const folder = await realpath(dataDir)
    const kept = await readRegularFile(folder, 'media.key', bytes)
    if (kept?.length === bytes) return kept
    const key = randomBytes(bytes)
    const file = join(folder, 'media.key')
    await writeFile(`${file}.new`, key, { mode: 0o600 })
    await rename(`${file}.new`, file)
    return key
  } catch (error) {
    throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
  }
}
