import { createHash } from 'node:crypto'
import { connectionOf } from '../client/internal.ts'
import type { OfferedSource, SourceClient } from '../client/index.ts'
import { invalidOption } from '../errors/author-errors.ts'
import type { LibraryStore } from '../library/index.ts'
import { isObject } from '../options/is-object.ts'
import { aBoolean } from '../options/member-rules.ts'
import { optional, validateMembers, type Rules } from '../options/validate-members.ts'
import { libraryRequest } from './library-request.ts'
import { isPathId } from './path-through.ts'
import { StoredSource } from './stored-source.ts'

/** Options of `createSourceLibrary`. */
export interface SourceLibraryOptions {
  /** The path of a request that comes through this source only: `pathThrough({}, id)`. Required. */
  path: readonly string[]
  /** The path of the page of the other source, below the address of the client. Default: `/`. */
  page?: string
  /** A store that survives a restart, for at most 300,000 tracks. Default: memory, for at most 20,000 tracks. */
  store?: LibraryStore
  /** If `true`, the library is read at once and each night, without a request. Default: `false`. */
  background?: boolean
  log?: { warn (details: object, message: string): void }
}

/** The stored library of another source, for one token of it. */
export interface StoredSourceLibrary {
  /**
   * Returns the source of a request with an adapter that has the library. A request that comes through another source
   * gets the library without lists, so that sources that have each other do not copy their copies.
   *
   * @param source the result of `client.offered()`
   */
  addTo (source: OfferedSource): OfferedSource
  /** Ends the reads. */
  close (): Promise<void>
}

const rules: Rules = {
  path: { must: 'a list of ids', holds: value => Array.isArray(value) && value.length > 0 && value.every(isPathId) },
  ...optional({
    page: { must: 'a path that starts and ends with /', holds: value => /^\/(?:[^?#]*\/)?$/.test(String(value)) },
    store: { must: 'a LibraryStore', holds: value => isObject(value) && typeof value.replace === 'function' },
    background: aBoolean,
    log: { must: 'a logger', holds: isObject }
  })
}

/**
 * Creates the stored library of another source: it reads the library in the background and serves lists, albums,
 * artists, tracks and the last favourites also while the source is unavailable. Create it once for each token and reuse
 * it.
 *
 * @param client a client created by `createSourceClient`
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 * @see docs/guide/combine.md
 */
export function createSourceLibrary (client: SourceClient, options: SourceLibraryOptions): StoredSourceLibrary {
  validateMembers(options, rules)
  const connection = connectionOf(client)
  if (connection === undefined) throw invalidOption('client', 'a client made by createSourceClient')
  const { page = '/', path, store, background, log } = options
  const { baseUrl, authorization } = connection
  // The store must not contain the token.
  const name = createHash('sha256').update(JSON.stringify([baseUrl, page, authorization])).digest('base64url')
  const title = new URL(baseUrl).host
  const ending = new AbortController()
  const signal = AbortSignal.any([ending.signal, connection.signal].filter(signal => signal !== undefined))
  const request = libraryRequest({ ...connection, signal }, page, path)
  return new StoredSource(request, { name, title, store, log }, { background, ending })
}
