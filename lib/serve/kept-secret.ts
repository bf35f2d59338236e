import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A secret that stays the same from start to start: a file of the folder, readable for this user alone. It is made
 * where there is none, one of another length, or zeros alone, as a power cut may leave. A folder that is missing is
 * made, for this user alone.
 *
 * @param make makes a new one
 * @param length bytes of each; without it, whatever is in the file is the secret
 * @throws what the file system throws
 */
export async function keptSecret (
  folder: string, name: string, make: () => Buffer, length?: number
): Promise<Buffer> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, name)
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() && found.size === (length ?? found.size)) {
    const secret = await readFile(file)
    if (secret.some(byte => byte !== 0)) return secret
  }
  const made = make()
  await writeFile(`${file}.new`, made, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return made
}
