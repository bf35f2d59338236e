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
import { type CombinedIds, foreignId, idsIn } from './combined-ids.ts'
import { personalMethods, removePersonal } from './personal.ts'
import { compileRename, type Changes, type Rename } from './rename-ids.ts'
import { sharedPlaylists } from './shared-playlists.ts'
import { isOutage, type SourceState, type StateLog } from './source-states.ts'
import { storedAnswer } from './stored-answer.ts'

/** One of the sources of a combination, as an account has it: its context, and what it is called. */
export interface CombinedSource extends Omit<SourceContext, 'adapter'> {
  /** What its ids begin with, for ever: letters, digits, `_` and `-`, 32 at most. */
  readonly id: string
  /** Its name for people. */
  readonly name: string
  /** `undefined` or `null` leaves the source out for this account. */
  readonly adapter?: SourceAdapter | null | undefined
  /**
   * If `true`, the login at the source belongs to somebody else: what is personal is left out (favourites, plays,
   * playlists that are not public), and nothing is changed there. Default: `false`.
   */
  readonly shared?: boolean | undefined
  /** Milliseconds within which it must answer a list of several sources. Default: that of the options. */
  readonly timeout?: number | undefined
}

/** Operations that answer lists of the kinds. */
export const listOf = { artists: 'userArtists', albums: 'userAlbums', tracks: 'userFavoriteTracks' } as const

/** What a source has of its combination. */
interface SourceParts {
  /** The default, in milliseconds. */
  readonly timeout: number
  readonly state: SourceState | undefined
  readonly log: StateLog | undefined
  /** Whether its playlists may have tracks of other sources. */
  readonly keepsOthers: boolean
  readonly ids: CombinedIds
}

type RenameAnswer = (data: unknown, changes: Changes) => unknown

const renames = new Map<AdapterMethod, RenameAnswer>()

/** Compiled when it is first asked for. */
function renameOf (method: AdapterMethod): RenameAnswer {
  const known = renames.get(method) ?? compileRename(schemasOf(method).data as TSchema) ?? (data => data)
  renames.set(method, known)
  return known
}

/** A source of a combination as it is asked: by the ids of the combination. */
export class AskedSource {
  readonly id: string
  readonly name: string
  readonly adapter: SourceAdapter
  readonly context: CombinedSource
  /** Milliseconds; 0 = no limit. */
  readonly timeout: number
  /** `undefined` where nothing is known from one request to the next. */
  readonly state: SourceState | undefined
  readonly log: StateLog | undefined
  readonly #playlists: Partial<SourceAdapter>
  readonly #removePersonal: Changes['object']
  /** Whether its playlists may have tracks of other sources: ids of others are believed only there. */
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
    this.#playlists = this.isShared ? sharedPlaylists(adapter) : {}
    this.#removePersonal = removePersonal(method => this.has(method), this.isShared)
  }

  /**
   * Calls the source, unless it is known not to be available.
   *
   * @throws UpstreamError for a call that is not made; what `call` throws
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

  /** Notes a failure of a list, which makes the source unavailable if it is one of the source. */
  fail (error: unknown): void {
    this.state?.fail(error, this.log)
    if (isOutage(error)) (this.adapter.library as OrderedLibrary | undefined)?.[pauseCalls]?.()
  }

  /** Returns the error of a call that did not end in time. The end of the call, however late, allows the next one. */
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

  /** What the source answers, with the ids of the combination. */
  async ask (method: AdapterMethod, args: readonly unknown[]): Promise<any> {
    const offered = this.#offered(operationOf(method), args)
    const call = () => Reflect.apply(this.#callOf(method), this.adapter, offered)
    const answer = await this.guard(call).catch(async error => {
      const kept = isOutage(error) ? await storedAnswer(this.adapter.library, method, offered) : undefined
      if (kept !== undefined) return kept
      const isNameless = error instanceof UpstreamError && error.message === new UpstreamError().message
      throw isNameless ? this.named(error) : error
    })
    // What the sources of a source lack, this one lacks too.
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

  /** The method of the adapter, for public playlists only where the source is shared. */
  #callOf (method: AdapterMethod): (...args: readonly unknown[]) => unknown {
    return (this.#playlists[method] ?? this.adapter[method]) as (...args: readonly unknown[]) => unknown
  }

  /** An item of the library of the source. */
  renameItem<K extends LibraryKind> (kind: K, item: LibraryItems[K]): LibraryItems[K] {
    return this.renameAnswer(listOf[kind], [item])[0]
  }

  /** What an operation answers, with the ids of the combination. */
  renameAnswer (method: AdapterMethod, answer: unknown): any {
    const isPlaylist = method === 'getPlaylistDetail' && this.keepsOthers
    return renameOf(method)(answer, { id: isPlaylist ? this.#renameKept : this.rename, object: this.#removePersonal })
  }

  /** The id of the combination for one of the source. */
  readonly rename = (id: string): string => this.ids.join(this.id, id)

  /** The id of a source that the combination no longer has stays as it is stored. */
  readonly #renameKept: Rename = id => {
    const foreign = foreignId(id)
    const source = foreign && this.ids.split(foreign)?.source
    return source === undefined || source === this.id ? this.rename(id) : foreign!
  }

  /** The id that an item of the combination has here; `undefined` for what the source does not have. */
  own (id: unknown): string | undefined {
    return idsIn(String(id)).map(id => this.ids.split(id)).find(part => part?.source === this.id)?.id
  }

  /** Arguments without what this source does not offer: it answers what it has then, in its own order. */
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
