import { checkMembers, optional, type Rules } from '../../options/check-members.ts'
import type { SourceAdapter } from '../../contract/source-adapter.ts'
import { accountOnServer } from './account-on-server.ts'
import { browseServer } from './browse-server.ts'
import { findOnServer } from './find-on-server.ts'
import { mediaOnServer } from './media-on-server.ts'
import { playlistsOnServer } from './playlists-on-server.ts'
import { Source, type SubsonicAdapterOptions } from './source.ts'
import type { SubsonicServerOptions } from './server-options.ts'
import { SubsonicServer } from './subsonic-server.ts'

const rules: Rules = {
  media: { must: 'a function', holds: value => typeof value === 'function' },
  // The upstream checks these itself.
  ...optional({ signal: { must: 'an AbortSignal', holds: () => true }, log: { must: 'a logger', holds: () => true } })
}

/**
 * A Subsonic server as a source: the adapter of one request.
 *
 * @param server what `subsonicServer` made, kept by the host
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createSubsonicAdapter (server: SubsonicServer, options: SubsonicAdapterOptions): SourceAdapter
/** The same, with a server of its own. */
export function createSubsonicAdapter (options: SubsonicServerOptions & SubsonicAdapterOptions): SourceAdapter
export function createSubsonicAdapter (
  given: SubsonicServer | SubsonicServerOptions & SubsonicAdapterOptions, more?: SubsonicAdapterOptions
): SourceAdapter {
  if (given instanceof SubsonicServer) return adapterOf(given, more ?? {})
  const { media, signal, log, ...server } = given
  return adapterOf(new SubsonicServer(server), { media, signal, log })
}

function adapterOf (server: SubsonicServer, options: object): SourceAdapter {
  checkMembers(options, rules)
  const source = new Source(server, options as SubsonicAdapterOptions)
  return {
    ...browseServer(source),
    ...findOnServer(source),
    ...playlistsOnServer(source),
    ...accountOnServer(source),
    ...mediaOnServer(source)
  }
}
