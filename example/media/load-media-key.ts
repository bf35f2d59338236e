import { randomBytes } from 'node:crypto'
import { secretInDataDir } from '../files/secret-in-data-dir.ts'

const bytes = 32

/**
 * Loads the key that signs media URLs. It is random, so that a URL reveals nothing about the token, and stored in the
 * data folder, so that URLs survive a restart.
 *
 * @param shared settings of all replicas: behind a load balancer, a URL may reach another replica than the one that
 *   signed it
 * @throws StartError if the folder is not writable
 */
export async function loadMediaKey (
  dataDir: string, shared?: { setting (name: string, value: string): Promise<string> }
): Promise<Buffer> {
  const key = await secretInDataDir(dataDir, 'media.key', bytes, () => randomBytes(bytes))
  return shared === undefined ? key : Buffer.from(await shared.setting('media-key', key.toString('base64')), 'base64')
}
