import { loadOrCreateSecret } from 'fastify-source-origin/serve'
import { StartError } from '../start/start-error.ts'

/**
 * Reads a secret of a fixed length from a file in the data folder, or creates the file. See `keptSecret`.
 *
 * @param length The length of the secret, in bytes
 * @throws StartError if the folder is not writable
 */
export async function secretInDataDir (
  dataDir: string, name: string, length: number, make: () => Buffer
): Promise<Buffer> {
  return loadOrCreateSecret(dataDir, name, make, length).catch(({ message }: Error) => {
    throw new StartError(`DATA_DIR must be a folder that the source may write to: ${message}`)
  })
}
