import type { TSchema } from '@sinclair/typebox'
import { discard, mostOfError } from '../async/unawaited.ts'
import { TimeoutError, UpstreamError } from '../contract/errors.ts'
import { isReported, noteReported } from '../errors/reported.ts'
import { operationOf, type AdapterMethod, type Operation } from '../contract/operations.ts'
import { markPartial, partialOf } from '../contract/partial.ts'
import { schemasOf } from '../contract/schemas-of.ts'
import { pauseCalls, type OrderedLibrary } from '../contract/ordered-library.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { LibraryItems, LibraryKind } from '../contract/source-library.ts'
import type { SourceContext } from '../contract/source-context.ts'
import { type CombinedIds, externalId, idsIn } from './combined-ids.ts'
import { personalMethods, removePersonal } from './personal.ts'
import { compileRename, type Changes, type Rename } from './rename-ids.ts'
import { sharedPlaylists } from './shared-playlists.ts'
import { isOutage, type SourceState, type StateLog } from './source-states.ts'
import { storedAnswer } from './stored-answer.ts'

/** A source of a combination for one account: its context, id and name. */
export interface CombinedSource extends Omit<SourceContext, 'adapter'> {
  /** The prefix of the ids of its items. It must never change. At most 32 letters, digits, `_` and `-`. */
  readonly id: string
  /** The display name. */
  readonly name: string
  /** `undefined` or `null` leaves the source out for this account. */
  readonly adapter?: SourceAdapter | null | undefined
  /**
   * If `true`, the login at the source belongs to another person. Personal data (favourites, plays, playlists that are
   * not public) is left out, and nothing is changed there. Default: `false`.
   */
  readonly shared?: boolean | undefined
  /** The timeout in milliseconds for lists of several sources. Default: the timeout of the options. */
  readonly timeout?: number | undefined
}

/** The operations that return lists of each kind. */
export const listOf = { artists: 'userArtists', albums: 'userAlbums', tracks: 'userFavoriteTracks' } as const

/** The settings of the combination for a source. */
interface SourceParts {
  /** The default timeout in milliseconds. */
  readonly timeout: number
  readonly state: SourceState | undefined
  readonly log: StateLog | undefined
  /** Whether its playlists may contain tracks of other sources. */
  readonly keepsOthers: boolean
  readonly ids: CombinedIds
}

type RenameAnswer = (data: unknown, changes: Changes) => unknown

const renames = new Map<AdapterMethod, RenameAnswer>()

/** Returns the id translation of an operation, which is compiled on first use. */
function renameOf (method: AdapterMethod): RenameAnswer {
  const known = renames.get(method) ?? compileRename(schemasOf(method).data as TSchema) ?? (data => data)
  renames.set(method, known)
  return known
}

/** Wraps a source and translates between its ids and the ids of the combination. */
export class NamespacedSource {
  readonly id: string
  readonly name: string
  readonly adapter: SourceAdapter
  readonly context: CombinedSource
  /** The timeout in milliseconds. 0 = no limit. */
  readonly timeout: number
  /** The availability across requests. `undefined` if it is not recorded. */
  readonly state: SourceState | undefined
  readonly log: StateLog | undefined
  /** Created at the first call, because few requests need it. */
  #playlists: Partial<SourceAdapter> | undefined
  readonly #removePersonal: Changes['object']
  /** Whether its playlists may contain tracks of other sources. External ids are accepted only then. */
  readonly keepsOthers: boolean
  readonly ids: CombinedIds

  constructor (
    context: CombinedSource, adapter: SourceAdapter, { timeout, state, log, keepsOthers, ids }: SourceParts
  ) {
    this.id = context.id
    this.ids = ids
    this.name = context.name
    this.context = context
    this.adapter = adapter
    this.timeout = context.timeout ?? timeout
    this.state = state
    this.log = log
    this.keepsOthers = keepsOthers
    this.#removePersonal = removePersonal(method => this.has(method), this.isShared)
  }

  /**
   * Calls the source, unless it is currently unavailable.
   *
   * @throws UpstreamError without a call if the source is unavailable; errors of `call`
   */
  readonly guard = async <T>(call: () => T | Promise<T>): Promise<T> => {
    const refusal = this.state?.refusal()
    if (refusal !== undefined) throw refusal
    try {
      const value = await call()
      this.state?.succeed(this.log)
      return value
    } catch (error) {
      this.state?.failAgain(error)
      throw error
    }
  }

  /** Records a failed list, which makes the source unavailable if the failure is an outage. */
  fail (error: unknown): void {
    this.state?.fail(error, this.log)
    if (isOutage(error)) (this.adapter.library as OrderedLibrary | undefined)?.[pauseCalls]?.()
  }

  /** Returns the error of a call that timed out. The late end of that call allows the next one. */
  timeOut (answer: Promise<unknown>): TimeoutError {
    const error = new TimeoutError(`${this.name} did not respond within ${this.timeout} ms`)
    this.fail(error)
    answer.then(discard, thrown => {
      discard(thrown, mostOfError)
      this.state?.retry()
    })
    return error
  }

  /** Whether the source is available. `true` if its state is unknown. */
  get isAvailable (): boolean { return this.state?.status.available !== false }

  get isShared (): boolean { return this.context.shared === true }

  get isStateful (): boolean { return this.context.stateless === false && !this.isShared }

  has (method: AdapterMethod): boolean {
    if (typeof this.adapter[method] !== 'function' || (this.isShared && personalMethods.has(method))) return false
    return this.isStateful || !operationOf(method).stateful
  }

  /** Calls an operation and returns the response with the ids of the combination. */
  async ask (method: AdapterMethod, args: readonly unknown[]): Promise<any> {
    const offered = this.#offered(operationOf(method), args)
    const call = () => Reflect.apply(this.#callOf(method), this.adapter, offered)
    const answer = await this.guard(call).catch(async error => {
      const kept = isOutage(error) ? await storedAnswer(this.adapter.library, method, offered) : undefined
      if (kept !== undefined) return kept
      const isNameless = error instanceof UpstreamError && error.message === new UpstreamError().message
      throw isNameless ? this.named(error) : error
    })
    // Sources that are missing from a nested combination are missing here.
    return markPartial(this.renameAnswer(method, answer), partialOf(answer).map(this.rename))
  }

  /**
   * Returns the result of an operation with the ids of the source.
   *
   * @throws UpstreamError for a part
   */
  async askWhole (method: AdapterMethod, args: readonly unknown[]): Promise<any> {
    const answer = await this.guard(() => Reflect.apply(this.#callOf(method), this.adapter, args))
    const [missing] = partialOf(answer)
    if (missing !== undefined) throw new UpstreamError(`${missing} is not responding`)
    return answer
  }

  /** Returns the error of a failure that names the source. */
  named (cause: unknown): UpstreamError {
    const named = new UpstreamError(`${this.name} is not responding`, { cause })
    return isReported(cause) ? noteReported(named) : named
  }

  /** Returns the method of the adapter, limited to public playlists if the source is shared. */
  #callOf (method: AdapterMethod): (...args: readonly unknown[]) => unknown {
    this.#playlists ??= this.isShared ? sharedPlaylists(this.adapter) : {}
    return (this.#playlists[method] ?? this.adapter[method]) as (...args: readonly unknown[]) => unknown
  }

  /** Returns an item of the source's library with the ids of the combination. */
  renameItem<K extends LibraryKind> (kind: K, item: LibraryItems[K]): LibraryItems[K] {
    return this.renameAnswer(listOf[kind], [item])[0]
  }

  /** Returns the response of an operation with the ids of the combination. */
  renameAnswer (method: AdapterMethod, answer: unknown): any {
    const isPlaylist = method === 'getPlaylistDetail' && this.keepsOthers
    return renameOf(method)(answer, { id: isPlaylist ? this.#renameKept : this.rename, object: this.#removePersonal })
  }

  /** Returns the combination's id for an id of the source. */
  readonly rename = (id: string): string => this.ids.join(this.id, id)

  /** An external id of a source that the combination no longer contains is treated as an id of this source. */
  readonly #renameKept: Rename = id => {
    const foreign = externalId(id)
    const source = foreign && this.ids.split(foreign)?.source
    return source === undefined || source === this.id ? this.rename(id) : foreign!
  }

  /** Returns the id of an item within this source; `undefined` if the source does not have the item. */
  own (id: unknown): string | undefined {
    for (const part of idsIn(String(id))) {
      const split = this.ids.split(part)
      if (split?.source === this.id) return split.id
    }
    return undefined
  }

  /** Removes arguments that this source does not support. It then responds with its default, in its default order. */
  #offered ({ parameters, offeredBy }: Operation, args: readonly unknown[]): readonly unknown[] {
    const refused = Object.entries(offeredBy).filter(([name, list]) => {
      const value = args[parameters.indexOf(name)]
      return value !== undefined && this.context[list]?.some(({ key }) => key === value) === false
    }).map(([name]) => name)
    if (refused.length === 0) return args
    if (refused.includes('sort')) refused.push('order')
    return args.map((value, index) => refused.includes(parameters[index]!) ? undefined : value)
  }
}
