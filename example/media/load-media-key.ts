import { randomBytes } from 'node:crypto'
import { keptInDataDir } from '../kept-in-data-dir.ts'

const bytes = 32

/**
 * The key that media URLs are signed with. It is random, so that a URL tells nothing of the token, and kept in the data
 * folder, so that URLs outlive a restart.
 *
 * @throws StartError when the folder cannot be written to
 */
export const loadMediaKey = (dataDir: string): Promise<Buffer> =>
  keptInDataDir(dataDir, 'media.key', bytes, () => randomBytes(bytes))
