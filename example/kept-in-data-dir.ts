import { mkdir, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from './open-regular-file.ts'
import { StartError } from './start-error.ts'

/**
 * A secret of a fixed length that is kept in the data folder, readable for this user alone. It is made where there is
 * none, or one of another length. A data folder that is missing is made, for this user alone.
 *
 * @throws StartError when the folder cannot be written to
 */
export async function keptInDataDir (
  dataDir: string, name: string, length: number, make: () => Buffer
): Promise<Buffer> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const folder = await realpath(dataDir)
    const kept = await readRegularFile(folder, name, length)
    if (kept?.length === length) return kept
    const secret = make()
    const file = join(folder, name)
    await writeFile(`${file}.new`, secret, { mode: 0o600 })
    await rename(`${file}.new`, file)
    return secret
  } catch (error) {
    throw new StartError(`DATA_DIR must be a folder that the source may write to: ${(error as Error).message}`)
  }
}
