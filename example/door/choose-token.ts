import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { keptInDataDir } from '../files/kept-in-data-dir.ts'
import type { Settings } from '../start/settings.ts'

/** Where the token is kept that a source made for itself, below `DATA_DIR`. */
const fileName = 'token'

/**
 * The token that callers need. Outside production, where none is set, the source makes one and keeps it in the data
 * folder, so that a first try needs no configuration and a restart signs nobody out. In production there is none then,
 * and nothing but the public paths is answered.
 *
 * @returns `file` where the token was made, for the log
 * @throws StartError when the data folder cannot be written to
 */
export async function chooseToken (
  { SOURCE_API_TOKEN, NODE_ENV, DATA_DIR }: Settings
): Promise<{ token: string, file: string | undefined }> {
  if (SOURCE_API_TOKEN !== '' || NODE_ENV === 'production') return { token: SOURCE_API_TOKEN, file: undefined }
  const made = () => Buffer.from(randomBytes(16).toString('hex'))
  const token = await keptInDataDir(DATA_DIR, fileName, 32, made)
  return { token: token.toString(), file: join(DATA_DIR, fileName) }
}
