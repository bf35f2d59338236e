import { types } from 'node:util'
import { handled } from '../async/handled.ts'
import { merging } from '../contract/merged-items.ts'
import { operations } from '../contract/operations.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { SourceContext } from '../contract/source-context.ts'
import type { SourceLibrary } from '../contract/source-library.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { aFunction, aString, aText, milliseconds } from '../options/member-rules.ts'
import { didYouMean } from '../options/did-you-mean.ts'
import { isObject } from '../options/is-object.ts'
import { optional, validateMembers } from '../options/validate-members.ts'
import { NamespacedSource, type CombinedSource } from './namespaced-source.ts'
import { CombinedIds, isSourceId } from './combined-ids.ts'
import { combinedLibrary } from './combined-library.ts'
import { extraMethods } from './extra-methods.ts'
import { mergingOf } from './merging-of.ts'
import { commonStates, SourceStates } from './source-states.ts'
import { Combination, type CombinationOptions } from './combination.ts'

/** Options of a combination. */
export interface CombineOptions extends CombinationOptions {
  /**
   * The timeout in milliseconds of each source for lists of several sources. The list then omits the source. 0 = no
   * limit. Default: 3000.
   */
  readonly timeout?: number | undefined
  /**
   * The id of the source whose items have no id prefix, so that their ids stay valid when more sources are added.
   * Default: none.
   */
  readonly unprefixed?: string | undefined
  /** The availability of the sources across requests. Default: a shared one, with a state for each account. */
  readonly states?: SourceStates | undefined
}

const time = milliseconds(0)

const rules = optional({
  timeout: time,
  playlistSource: aText,
  unprefixed: aText,
  states: { must: 'a SourceStates', holds: value => value instanceof SourceStates },
  duplicates: { must: 'keep or merge', holds: value => value === 'keep' || value === 'merge' },
  log: { must: 'a logger', holds: isObject },
  onPartial: aFunction
})

const makeLibrary = Symbol('make library')

interface Combined extends SourceAdapter { [makeLibrary]: () => SourceLibrary | undefined }

/** The property `library` of every combination. A new getter for each of them would take V8 10 µs. */
const library: PropertyDescriptor & ThisType<Combined> = {
  enumerable: true, configurable: true, get () { return this[makeLibrary]() }
}

/**
 * Combines several sources into one: the context of one request, with an adapter that routes each operation to the
 * sources that support it. A source without an adapter is left out for this account.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 * @see docs/guide/combine.md
 */
export function combineSources (given: readonly CombinedSource[], options: CombineOptions = {}): SourceContext {
  validateMembers(options, rules)
  validateSources(given)
  const { timeout = 3000, playlistSource, unprefixed, log } = options
  for (const [name, value] of Object.entries({ playlistSource, unprefixed })) {
    if (value !== undefined && !given.some(({ id }) => id === value)) {
      throw invalidOption(name, 'the id of one of the sources')
    }
  }
  const account = accountOf(given)
  const ids = new CombinedIds(given.map(({ id }) => id), unprefixed)
  const sources = given.flatMap(source => {
    const { id, name, adapter } = source
    if (!adapter) return []
    const state = options.states?.of(id, name, source.account ?? '') ??
      (account === undefined ? undefined : commonStates.of(id, name, account))
    return [new NamespacedSource(source, adapter, { timeout, state, log, keepsOthers: id === playlistSource, ids })]
  })
  const combination = new Combination(sources, options)
  // Even a request that the cache answers comes through here. Spreading objects of this size takes 10 µs.
  const methods: Record<string, unknown> = {}
  for (const row of operations) {
    if (!sources.some(source => source.has(row.adapterMethod))) continue
    methods[row.adapterMethod] = (...args: unknown[]) => handled(combination.call(row, args))
  }
  const merges = options.duplicates === 'merge'
  const adapter: Combined = Object.assign(methods, extraMethods(combination), {
    [merging]: mergingOf(sources, ids, merges), [makeLibrary]: () => combinedLibrary(sources, merges)
  })
  return { adapter: Object.defineProperty(adapter, 'library', library), ...contextOf(sources), account }
}

function validateSources (given: readonly CombinedSource[]): void {
  if (!Array.isArray(given)) throw invalidOption('sources', 'a list')
  const ids = given.map(source => source?.id)
  if (!ids.every(isSourceId)) throw invalidOption('id', 'a text of letters, digits, _ and -, 32 at most')
  if (new Set(ids).size < ids.length) throw invalidOption('id', 'another one for each source')
  if (!given.every(isComplete)) {
    throw invalidOption('adapter', 'an object, or undefined for an account without the source')
  }
  if (!given.every(({ name }) => aString.holds(name))) throw invalidOption('name', aString.must)
  if (!given.every(({ timeout = 0 }) => time.holds(timeout))) throw invalidOption('timeout', time.must)
}

/** Returns whether a source has an adapter, or says that it has none for this account. */
function isComplete (source: CombinedSource): boolean {
  const { adapter } = source
  if (!adapter) return 'adapter' in source || didYouMean('adapter', Object.keys(source)) === undefined
  return isObject(adapter) && !types.isPromise(adapter)
}

/** Returns the accounts of all sources as one string. If one is unknown, the owner of responses is unknown. */
function accountOf (given: readonly CombinedSource[]): string | undefined {
  const asked = given.filter(({ adapter }) => adapter)
  if (asked.length === 0 || asked.some(({ account }) => account === undefined)) return undefined
  return JSON.stringify(asked.map(({ id, account }) => [id, account]))
}

/** Returns the context of a combination, without the adapter and the account. */
function contextOf (sources: readonly NamespacedSource[]): Omit<SourceContext, 'adapter' | 'account'> {
  const all = (name: 'varyBy' | 'revision') =>
    JSON.stringify(sources.map(({ id, context }) => [id, context[name] ?? null]))
  const isStateless = sources.every(({ isStateful }) => !isStateful)
  return {
    stateless: isStateless,
    qualityMap: union(sources, 'qualityMap'),
    playlistSortOptions: union(sources, 'playlistSortOptions'),
    varyBy: all('varyBy'),
    revision: all('revision')
  }
}

/** Returns the values that any source offers, without duplicates; `undefined` if no source declares them. */
function union (
  sources: readonly NamespacedSource[], list: 'qualityMap' | 'playlistSortOptions'
): SourceContext['qualityMap'] {
  const offered = sources.flatMap(({ context }) => context[list] ?? [])
  if (sources.every(({ context }) => context[list] === undefined)) return undefined
  return offered.filter(({ key }, at) => offered.findIndex(other => other.key === key) === at)
}
