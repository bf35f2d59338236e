import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Reads a secret from a private file (mode 0600) of a folder, so that it is the same after a restart. The file is
 * created if it is missing, if it has another length, or if it contains only zeros, as after a power cut. A missing
 * folder is created (mode 0700).
 *
 * @param make creates a new secret
 * @param length length in bytes; without it, a file of any length is valid
 * @throws the error of the file system
 */
export async function loadOrCreateSecret (
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
