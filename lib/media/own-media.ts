import type { SignedQuery } from './create-signer.ts'
import type { MediaName } from './media-path.ts'
import type { ReadyFileKind, ReadyKind } from './send-media.ts'

/** Media that this server serves itself. */
export interface OwnMedia {
  readonly kind: ReadyKind | ReadyFileKind
  readonly media: MediaName
  /** The time when the signature expires, in Unix seconds. */
  readonly expires: number
}

/** Reads a signed path. @throws SourceError if the path or the signature is invalid */
export type ReadOwn = (path: string, query: SignedQuery) => OwnMedia

const readers = new WeakMap<object, Map<string, ReadOwn>>()

/**
 * Registers the media below a prefix of a server.
 *
 * @param server of Fastify: other plugins of the server find the media from any scope
 */
export function registerOwnMedia (server: object, prefix: string, read: ReadOwn): void {
  const ofServer = readers.get(server) ?? new Map<string, ReadOwn>()
  readers.set(server, ofServer.set(prefix, read))
}

/**
 * Finds the media of a URL of this server, so that the server does not request it over HTTP.
 *
 * @param path of the URL, with its query
 * @returns `undefined` if the path is not a media path or the signature is invalid
 */
export function findOwnMedia (server: object, path: string): OwnMedia | undefined {
  const [pathname = '', query] = path.split('?', 2)
  for (const [prefix, read] of readers.get(server) ?? []) {
    if (!pathname.startsWith(`${prefix}/`)) continue
    try {
      const rest = decodeURIComponent(pathname.slice(prefix.length + 1))
      return read(rest, Object.fromEntries(new URLSearchParams(query)))
    } catch {
      return undefined
    }
  }
  return undefined
}
