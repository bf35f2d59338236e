import { discard } from '../async/unawaited.ts'
import type { PlaylistSortOption, QualityOption } from '../../schemas/index.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { RequestContext, SourceContext } from '../contract/source-context.ts'
import { invalidContext } from '../errors/author-errors.ts'
import { isObject } from '../options/is-object.ts'
import { inferCapabilities } from './infer-capabilities.ts'

/** The return value of `resolveContext` for a request, with defaults. */
export class ResolvedContext implements RequestContext {
  readonly adapter: SourceAdapter
  readonly stateless: boolean
  readonly qualityMap: readonly QualityOption[] | undefined
  readonly playlistSortOptions: readonly PlaylistSortOption[] | undefined
  readonly accountName: string | undefined
  readonly account: string | undefined
  readonly revision: string | undefined
  readonly varyBy: string | undefined
  readonly sharesPlaying: SourceContext['sharesPlaying']
  readonly limits: SourceContext['limits']
  #capabilities: readonly string[] | undefined

  /** @throws SOURCE_ORIGIN_ERR_INVALID_CONTEXT */
  constructor (given: unknown) {
    const {
      adapter, stateless, qualityMap, playlistSortOptions, accountName, account, revision, varyBy, sharesPlaying,
      limits
    } = validateContext(given)
    this.adapter = adapter
    this.stateless = stateless !== false
    this.qualityMap = qualityMap ?? undefined
    this.playlistSortOptions = playlistSortOptions ?? undefined
    this.accountName = accountName
    this.account = account ?? undefined
    this.revision = revision ?? undefined
    this.varyBy = varyBy ?? undefined
    this.sharesPlaying = typeof sharesPlaying === 'function' ? sharesPlaying : sharesPlaying === true
    this.limits = limits ?? undefined
  }

  /** Computed at the first access, because few requests need it. */
  get capabilities (): readonly string[] {
    this.#capabilities ??= inferCapabilities(this.adapter, this)
    return this.#capabilities
  }
}

const members = [
  'adapter', 'stateless', 'qualityMap', 'playlistSortOptions', 'accountName', 'account', 'revision', 'varyBy',
  'sharesPlaying', 'limits'
] as const

function validateContext (given: unknown): SourceContext {
  const context: Partial<SourceContext> = Object(given)
  // Every request comes through here, so the checks are written inline.
  for (const name of members) if (context[name] instanceof Promise) throw lateMembers(context)
  const { adapter, qualityMap, playlistSortOptions, account, revision, varyBy, limits } = context
  if (!isObject(adapter)) {
    discard(given)
    throw invalidContext('resolveContext must give an object with an adapter, or null')
  }
  if (!Array.isArray(qualityMap ?? [])) throw invalidContext('qualityMap of the context must be a list')
  if (!Array.isArray(playlistSortOptions ?? [])) {
    throw invalidContext('playlistSortOptions of the context must be a list')
  }
  if (typeof (account ?? 'none') !== 'string' || account === '') {
    throw invalidContext('account of the context must be a string that is not empty')
  }
  if (typeof (revision ?? '') !== 'string') throw invalidContext('revision of the context must be a string')
  if (typeof (varyBy ?? '') !== 'string') throw invalidContext('varyBy of the context must be a string')
  if (!isObject(limits ?? {}) || !Number.isFinite(limits?.bitrate ?? 0)) {
    throw invalidContext('limits of the context must be an object, and its bitrate a number of bit/s')
  }
  return given as SourceContext
}

function lateMembers (context: Partial<SourceContext>): Error {
  const late = members.filter(name => context[name] instanceof Promise)
  for (const name of late) discard(context[name])
  return invalidContext(`${late.join(' and ')} of the context is a Promise: await it`)
}
