import type { PlaylistSortOption, QualityOption, Status } from '../../schemas/index.ts'
import { withHandled } from '../async/handled.ts'
import { capabilities } from '../contract/capabilities.ts'
import { NotFoundError, SourceError, UnsupportedFeatureError } from '../contract/errors.ts'
import { operations } from '../contract/operations.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { sourceFailure } from '../errors/source-failure.ts'
import { isDeclared } from './older-origins.ts'

/** A source server as a source for another source: properties of a context. */
export interface OfferedSource {
  readonly adapter: SourceAdapter
  readonly stateless: boolean
  readonly qualityMap: readonly QualityOption[] | undefined
  readonly playlistSortOptions: readonly PlaylistSortOption[] | undefined
  /** The path, if the request has passed through another source, because its response may then contain less. */
  readonly varyBy: string | undefined
}

export interface OfferedOptions {
  /**
   * An earlier status response of the server, so that it is not requested again. Default: requested from the server.
   */
  readonly status?: Status | undefined
  /** The ids of the sources on the path of the request, this one last; sent as `Source-Path`. Default: none. */
  readonly path?: readonly string[] | undefined
}

type Method = (...args: unknown[]) => Promise<unknown>

/**
 * Returns the methods that a server declares, with error messages for users.
 *
 * @param name name of the server
 */
export function offeredSource (
  methods: Readonly<Record<string, Method>>, { capabilities, ...status }: Status, path: readonly string[], name: string
): OfferedSource {
  const offered = operations.flatMap(({ adapterMethod, parameters }) => {
    const behind = capabilitiesOf(adapterMethod)
    if (behind.length > 0 && !behind.some(name => isDeclared(capabilities, name))) return []
    // A 404 may concern the id of the request, so it proves a missing operation only for operations without an id.
    const isSure = behind.length > 0 || parameters.includes('id')
    const method: Method = (...args) => methods[adapterMethod]!(...args).catch(error => {
      throw error instanceof NotFoundError && !isSure
        ? new UnsupportedFeatureError(undefined, { cause: error })
        // An error without a code was created by this client.
        : sourceFailure(error, name, (error as SourceError).code !== undefined)
    })
    return [[adapterMethod, method] as const]
  })
  return {
    adapter: withHandled(Object.fromEntries(offered)) as SourceAdapter,
    stateless: status.stateless,
    qualityMap: orNone(status.qualityMap),
    playlistSortOptions: orNone(status.playlistSortOptions),
    varyBy: path.length > 1 ? path.join(' ') : undefined
  }
}

const capabilitiesOf = (method: string) =>
  capabilities.filter(({ methods }) => (methods as readonly string[]).includes(method)).map(({ name }) => name)

/** Converts a list. An empty list in a status means that any string is valid; in a context it means that none is. */
const orNone = <T>(list: readonly T[]): readonly T[] | undefined => list.length > 0 ? list : undefined
