import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { secretInDataDir } from '../files/secret-in-data-dir.ts'
import type { Settings } from '../start/settings.ts'

/** The file in `DATA_DIR` that stores a generated token. */
const fileName = 'token'

/**
 * Returns the token that clients need. If none is set outside production, the source generates a token and stores it in
 * the data folder. So a first try needs no configuration, and users stay signed in after a restart. If none is set in
 * production, the token is empty, and only the public paths respond.
 *
 * @returns `file` is the path of a generated token, for the log
 * @throws StartError if the data folder is not writable
 */
export async function chooseToken (
  { SOURCE_API_TOKEN, NODE_ENV, DATA_DIR }: Settings
): Promise<{ token: string, file: string | undefined }> {
  if (SOURCE_API_TOKEN !== '' || NODE_ENV === 'production') return { token: SOURCE_API_TOKEN, file: undefined }
  const made = () => Buffer.from(randomBytes(16).toString('hex'))
  const token = await secretInDataDir(DATA_DIR, fileName, 32, made)
  return { token: token.toString(), file: join(DATA_DIR, fileName) }
}
