import { withHandled } from '../async/handled.ts'
import { sourceFailure } from '../errors/source-failure.ts'
import { validateMembers, optional, type Rules } from '../options/validate-members.ts'
import { aFunction } from '../options/member-rules.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { accountOnServer } from './account-on-server.ts'
import { browseServer } from './browse-server.ts'
import { editsOnServer } from './edits-on-server.ts'
import { findOnServer } from './find-on-server.ts'
import { mediaOnServer } from './media-on-server.ts'
import { playlistsOnServer } from './playlists-on-server.ts'
import { playsOnServer } from './plays-on-server.ts'
import { RemoteSource, type SubsonicAdapterOptions } from './subsonic-adapter.ts'
import type { SubsonicClientOptions } from './client-options.ts'
import { createSubsonicClient } from './create-subsonic-client.ts'
import { libraryOnServer } from './server-library.ts'
import { SubsonicClient } from './subsonic-client.ts'

const rules: Rules = {
  media: aFunction,
  // The upstream validates the rest.
  ...optional({
    placeholder: aFunction,
    signal: { must: 'an AbortSignal', holds: () => true },
    log: { must: 'a logger', holds: () => true }
  })
}

/**
 * Creates the adapter of one request for a Subsonic server as a source.
 *
 * @param client a client created by `createSubsonicClient`, stored by the parent app
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function createSubsonicAdapter (client: SubsonicClient, options: SubsonicAdapterOptions): SourceAdapter
/** Creates the adapter with a private client. */
export function createSubsonicAdapter (options: SubsonicClientOptions & SubsonicAdapterOptions): SourceAdapter
export function createSubsonicAdapter (
  given: SubsonicClient | SubsonicClientOptions & SubsonicAdapterOptions, more?: SubsonicAdapterOptions
): SourceAdapter {
  if (given instanceof SubsonicClient) return adapterOf(given, more ?? {})
  const { media, placeholder, signal, log, ...client } = given
  return adapterOf(createSubsonicClient(client), { media, placeholder, signal, log })
}

function adapterOf (client: SubsonicClient, options: object): SourceAdapter {
  validateMembers(options, rules)
  const source = new RemoteSource(client, options as SubsonicAdapterOptions)
  const { hostname } = new URL(client.options.url)
  const methods = withHandled(forListeners({
    ...browseServer(source),
    ...findOnServer(source),
    ...playlistsOnServer(source),
    ...accountOnServer(source),
    ...editsOnServer(source),
    ...playsOnServer(source),
    ...mediaOnServer(source)
  }, hostname))
  return { ...methods, get library () { return libraryOnServer(source) } }
}

type Methods = Readonly<Record<string, (...args: any[]) => Promise<unknown>>>

/** Wraps the methods so that no error status of the server is reported as an error of the listener's token. */
const forListeners = <T extends object>(methods: T, name: string): T =>
  Object.fromEntries(Object.entries(methods as Methods).map(([method, call]) => [method, (...args: unknown[]) =>
    call(...args).catch(error => { throw sourceFailure(error, name, true) })])) as T
