import type { PlaylistSortOption, QualityOption, Status } from '../../schemas/index.ts'
import { withHandled } from '../async/handled.ts'
import { capabilities } from '../contract/capabilities.ts'
import { NotFoundError, SourceError, UnsupportedFeatureError } from '../contract/errors.ts'
import { operations } from '../contract/operations.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { sourceFailure } from '../errors/source-failure.ts'
import { isDeclared } from './older-origins.ts'

/** An origin as a source that another one serves: members of a context. */
export interface OfferedSource {
  readonly adapter: SourceAdapter
  readonly stateless: boolean
  readonly qualityMap: readonly QualityOption[] | undefined
  readonly playlistSortOptions: readonly PlaylistSortOption[] | undefined
  /** The path, where the request has come through another source: what is answered on it may be less. */
  readonly variant: string | undefined
}

export interface OfferedOptions {
  /** What the origin has returned of itself before: then it is not called. Default: what it returns now. */
  readonly status?: Status | undefined
  /** Ids of the sources that the request comes through, this one last; sent as `Source-Path`. Default: none. */
  readonly path?: readonly string[] | undefined
}

type Method = (...args: unknown[]) => Promise<unknown>

/**
 * What an origin declares, with errors that are written for listeners.
 *
 * @param name of the origin
 */
export function offeredSource (
  methods: Readonly<Record<string, Method>>, { capabilities, ...status }: Status, path: readonly string[], name: string
): OfferedSource {
  const offered = operations.flatMap(({ adapterMethod, parameters }) => {
    const behind = capabilitiesOf(adapterMethod)
    if (behind.length > 0 && !behind.some(name => isDeclared(capabilities, name))) return []
    // A 404 for an id may be about the item, so only an operation without an id is known to be missing.
    const isSure = behind.length > 0 || parameters.includes('id')
    const method: Method = (...args) => methods[adapterMethod]!(...args).catch(error => {
      throw error instanceof NotFoundError && !isSure
        ? new UnsupportedFeatureError(undefined, { cause: error })
        // An error without a code is the client's own.
        : sourceFailure(error, name, (error as SourceError).code !== undefined)
    })
    return [[adapterMethod, method] as const]
  })
  return {
    adapter: withHandled(Object.fromEntries(offered)) as SourceAdapter,
    stateless: status.stateless,
    qualityMap: orNone(status.qualityMap),
    playlistSortOptions: orNone(status.playlistSortOptions),
    variant: path.length > 1 ? path.join(' ') : undefined
  }
}

const capabilitiesOf = (method: string) =>
  capabilities.filter(({ methods }) => (methods as readonly string[]).includes(method)).map(({ name }) => name)

/** An empty list in a status means that any text passes, and in a context that none does. */
const orNone = <T>(list: readonly T[]): readonly T[] | undefined => list.length > 0 ? list : undefined
