import type { SourceAdapter } from '../../contract/source-adapter.ts'
import { invalidOption } from '../../contract/author-errors.ts'
import { accountOnServer } from './account-on-server.ts'
import { browseServer } from './browse-server.ts'
import { findOnServer } from './find-on-server.ts'
import { mediaOnServer } from './media-on-server.ts'
import { playlistsOnServer } from './playlists-on-server.ts'
import { Source, type SubsonicAdapterOptions } from './source.ts'
import type { SubsonicServerOptions } from './server-options.ts'
import { SubsonicServer } from './subsonic-server.ts'

/**
 * A Subsonic server as a source: the adapter of one request.
 *
 * @param server what `subsonicServer` made, kept by the host
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createSubsonicAdapter (server: SubsonicServer, options: SubsonicAdapterOptions): SourceAdapter
/** The same, with a server of its own. */
export function createSubsonicAdapter (options: SubsonicServerOptions & SubsonicAdapterOptions): SourceAdapter
export function createSubsonicAdapter (given: SubsonicServer | SubsonicServerOptions & SubsonicAdapterOptions, more?: SubsonicAdapterOptions): SourceAdapter {
  const { media, signal, log, ...own } = given instanceof SubsonicServer ? more ?? {} as SubsonicAdapterOptions : given
  if (typeof media !== 'function') throw invalidOption('media', 'a function')
  const server = given instanceof SubsonicServer ? given : new SubsonicServer(own as SubsonicServerOptions)
  const source = new Source(server, { media, signal, log })
  return {
    ...browseServer(source),
    ...findOnServer(source),
    ...playlistsOnServer(source),
    ...accountOnServer(source),
    ...mediaOnServer(source)
  }
}
