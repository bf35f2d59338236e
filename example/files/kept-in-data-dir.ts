import { keptSecret } from 'fastify-source-origin/serve'
import { StartError } from '../start/start-error.ts'

/**
 * As `keptSecret`, of a fixed length, in the data folder.
 *
 * @throws StartError when the folder cannot be written to
 */
export async function keptInDataDir (
  dataDir: string, name: string, length: number, make: () => Buffer
): Promise<Buffer> {
  return keptSecret(dataDir, name, make, length).catch(({ message }: Error) => {
    throw new StartError(`DATA_DIR must be a folder that the source may write to: ${message}`)
  })
}
