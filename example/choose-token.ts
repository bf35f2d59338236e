import { randomBytes } from 'node:crypto'
import type { Settings } from './settings.ts'

/**
 * The token that callers need. Outside production the source makes one for this run where none is set, so that a first
 * try needs no configuration; in production there is none then, and nothing but the public paths is answered.
 */
export function chooseToken ({ SOURCE_API_TOKEN, NODE_ENV }: Settings): { token: string, made: boolean } {
  if (SOURCE_API_TOKEN !== '' || NODE_ENV === 'production') return { token: SOURCE_API_TOKEN, made: false }
  return { token: randomBytes(16).toString('hex'), made: true }
}
