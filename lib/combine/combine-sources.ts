import { handled } from '../async/handled.ts'
import { merging } from '../contract/merged-items.ts'
import { operations } from '../contract/operations.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { SourceContext } from '../contract/source-context.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { aFunction, aString, aText, milliseconds } from '../options/member-rules.ts'
import { isObject } from '../options/is-object.ts'
import { optional, validateMembers } from '../options/validate-members.ts'
import { AskedSource, type CombinedSource } from './asked-source.ts'
import { CombinedIds, isSourceId } from './combined-ids.ts'
import { combinedLibrary } from './combined-library.ts'
import { extraMethods } from './extra-methods.ts'
import { mergingOf } from './merging-of.ts'
import { commonStates, SourceStates } from './source-states.ts'
import { Combination, type CombinationOptions } from './combination.ts'

/** Options of a combination. */
export interface CombineOptions extends CombinationOptions {
  /**
   * Milliseconds within which each source must answer a list of several sources, which is answered without it
   * otherwise; 0 = no limit. Default: 3000.
   */
  readonly timeout?: number | undefined
  /**
   * The id of the source whose items keep their ids, without a prefix, so that apps know them when sources are added to
   * a source that is in use. Default: none.
   */
  readonly unprefixed?: string | undefined
  /** The availability of the sources, kept from one request to the next. Default: one for each account. */
  readonly states?: SourceStates | undefined
}

const time = milliseconds(0)

const rules = optional({
  timeout: time,
  playlistsIn: aText,
  unprefixed: aText,
  states: { must: 'a SourceStates', holds: value => value instanceof SourceStates },
  same: { must: 'keep or merge', holds: value => value === 'keep' || value === 'merge' },
  log: { must: 'a logger', holds: isObject },
  onPartial: aFunction
})

/**
 * Several sources as one: the context of one request, with an adapter that asks each of them as fits. A source without
 * an adapter is left out for this account.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 * @see docs/guide/combine.md
 */
export function combineSources (given: readonly CombinedSource[], options: CombineOptions = {}): SourceContext {
  validateMembers(options, rules)
  validateSources(given)
  const { timeout = 3000, playlistsIn, unprefixed, log } = options
  for (const [name, value] of Object.entries({ playlistsIn, unprefixed })) {
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
    return [new AskedSource(source, adapter, { timeout, state, log, keepsOthers: id === playlistsIn, ids })]
  })
  const combination = new Combination(sources, options)
  const offered = operations.filter(({ adapterMethod }) => combination.able(adapterMethod).length > 0)
  const adapter: SourceAdapter = Object.fromEntries(offered.map(row =>
    [row.adapterMethod, (...args: unknown[]) => handled(combination.call(row, args))]))
  const extra = extraMethods(combination)
  const merged = mergingOf(sources, ids, options.same === 'merge')
  const all = {
    ...adapter,
    ...extra,
    [merging]: merged,
    get library () { return combinedLibrary(sources, options.same === 'merge') }
  }
  return { adapter: all, ...contextOf(sources), account }
}

function validateSources (given: readonly CombinedSource[]): void {
  if (!Array.isArray(given)) throw invalidOption('sources', 'a list')
  const ids = given.map(source => source?.id)
  if (!ids.every(isSourceId)) throw invalidOption('id', 'a text of letters, digits, _ and -, 32 at most')
  if (new Set(ids).size < ids.length) throw invalidOption('id', 'another one for each source')
  if (!given.every(({ name }) => aString.holds(name))) throw invalidOption('name', aString.must)
  if (!given.every(({ timeout = 0 }) => time.holds(timeout))) throw invalidOption('timeout', time.must)
}

/** The accounts of all sources as one. Without that of one of them nobody knows whose the answers are. */
function accountOf (given: readonly CombinedSource[]): string | undefined {
  const asked = given.filter(({ adapter }) => adapter)
  if (asked.length === 0 || asked.some(({ account }) => account === undefined)) return undefined
  return JSON.stringify(asked.map(({ id, account }) => [id, account]))
}

/** What the context of a combination has besides the adapter and the account. */
function contextOf (sources: readonly AskedSource[]): Omit<SourceContext, 'adapter' | 'account'> {
  const all = (name: 'variant' | 'revision') =>
    JSON.stringify(sources.map(({ id, context }) => [id, context[name] ?? null]))
  const isStateless = sources.every(({ isStateful }) => !isStateful)
  return {
    stateless: isStateless,
    qualityMap: union(sources, 'qualityMap'),
    playlistSortOptions: union(sources, 'playlistSortOptions'),
    variant: all('variant'),
    revision: all('revision')
  }
}

/** What any of the sources offers, each once; `undefined` where none says what it offers. */
function union (
  sources: readonly AskedSource[], list: 'qualityMap' | 'playlistSortOptions'
): SourceContext['qualityMap'] {
  const offered = sources.flatMap(({ context }) => context[list] ?? [])
  if (sources.every(({ context }) => context[list] === undefined)) return undefined
  return offered.filter(({ key }, at) => offered.findIndex(other => other.key === key) === at)
}
