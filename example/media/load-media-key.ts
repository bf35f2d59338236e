import { randomBytes } from 'node:crypto'
import { keptInDataDir } from '../files/kept-in-data-dir.ts'

const bytes = 32

/**
 * The key that media URLs are signed with. It is random, so that a URL tells nothing of the token, and kept in the data
 * folder, so that URLs outlive a restart.
 *
 * @param shared settings of all replicas: behind a load balancer, a URL may come to another one than signed it
 * @throws StartError when the folder cannot be written to
 */
export async function loadMediaKey (
  dataDir: string, shared?: { setting (name: string, value: string): Promise<string> }
): Promise<Buffer> {
  const key = await keptInDataDir(dataDir, 'media.key', bytes, () => randomBytes(bytes))
  return shared === undefined ? key : Buffer.from(await shared.setting('media-key', key.toString('base64')), 'base64')
}
