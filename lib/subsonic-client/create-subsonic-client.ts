import type { SubsonicClientOptions } from './client-options.ts'
import { addLibrary } from './server-library.ts'
import { SubsonicClient } from './subsonic-client.ts'

/**
 * Creates a client of a Subsonic server, for `createSubsonicAdapter`. Create one for each account at the server, and
 * reuse it.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createSubsonicClient (options: SubsonicClientOptions): SubsonicClient {
  const client = new SubsonicClient(options)
  addLibrary(client)
  return client
}
