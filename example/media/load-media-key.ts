import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'

const bytes = 32

/**
 * The key that media URLs are signed with. It is random, so that a URL tells nothing of the token, and kept in the data
 * folder, so that URLs outlive a restart.
 *
 * @throws StartError when the folder cannot be written to
 */
export async function loadMediaKey (dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'media.key')
  try {
    await mkdir(dataDir, { recursive: true })
    const kept = await readFile(file).catch(() => undefined)
    if (kept?.length === bytes) return kept
    const key = randomBytes(bytes)
    await writeFile(file, key, { mode: 0o600 })
    return key
  } catch (error) {
    throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
  }
}
