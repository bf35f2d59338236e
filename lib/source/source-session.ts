import { createYield } from '../async/create-yield.ts'
import { SourceError, UnsupportedFeatureError } from '../contract/errors.ts'
import { idsOf, type IdsOf } from '../contract/merged-items.ts'
import { operationOf, type AdapterMethod, type MutationMethod, type ReadMethod } from '../contract/operations.ts'
import { stored, withKept, type LibraryKeeper, type OrderedLibrary } from '../contract/ordered-library.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { SourceChanges } from '../contract/source-extras.ts'
import type { LibraryFacets } from '../contract/source-library.ts'
import { loggable } from '../errors/loggable.ts'
import { readError } from '../errors/read-error.ts'
import { CachedLibrary, libraryFault } from './cached-library.ts'
import type { AnswerOf, ArgumentsOf, SourceCalls, Changed, ExtraAnswer, ExtraArguments } from './source-calls.ts'
import type { Caller, Log } from './caller.ts'
import { Question } from './question.ts'
import type { Source } from './source.ts'

/** Methods of an adapter that are not operations, with the operation whose response has the same schema. */
const conformsTo = {
  editPlaylist: 'updatePlaylist', setFavorites: 'deletePlaylist', sharePlaylist: 'deletePlaylist'
} as const

const isExtra = (method: AdapterMethod | keyof SourceChanges): method is keyof SourceChanges =>
  Object.hasOwn(conformsTo, method)

const isRefusal = (answer: unknown) => (answer as { success?: boolean }).success === false
const refused = () => new SourceError(403, 'The source refused that')

/** The parts of a `SourceSession`. */
export interface SessionParts {
  readonly source: Source
  readonly call: Caller
  readonly context: RequestContext
  /** Calls `resolveContext` again. */
  readonly resolve: () => Promise<RequestContext>
}

/** The source for a protocol that needs several responses for one call. */
export class SourceSession implements SourceCalls {
  readonly #parts: SessionParts
  readonly #turns = createYield()
  #context: RequestContext
  #resolving: Promise<RequestContext> | undefined
  #library: Promise<CachedLibrary | undefined> | undefined
  #isChanged = false
  #change: (question: Question) => Promise<unknown>

  constructor (parts: SessionParts) {
    this.#parts = parts
    this.#change = question => parts.source.change(question)
    this.#context = parts.context
  }

  get context (): RequestContext { return this.#context }

  get isStateful (): boolean { return !this.context.stateless }

  has (method: AdapterMethod | keyof SourceChanges): boolean {
    const isStateful = isExtra(method) || operationOf(method).stateful
    return typeof this.context.adapter[method] === 'function' && (this.isStateful || !isStateful)
  }

  readonly idsOf: IdsOf = id => idsOf(this.context.adapter)(id)

  get log (): Log { return this.#parts.call.log }

  /** Stores the generated libraries of the account. */
  get keeper (): LibraryKeeper {
    return this.#parts.source.libraries.keeperOf(this.context, this.#parts.call.authorization)
  }

  /** Logs an error that does not affect the call. */
  warn (error: unknown, event: string): void {
    this.#parts.call.log.warn({ err: loggable(error, this.#parts.call.secrets) }, event)
  }

  /** Yields to the event loop during long work. Await it. Throws if the client has disconnected. */
  pause (): Promise<void> | undefined {
    return this.#turns()?.then(() => this.#parts.call.signal.throwIfAborted())
  }

  /** Marks the call as shared, so that it does not end when its client disconnects. */
  share (): void { this.#parts.call.share() }

  /**
   * Returns the context. After a change the context is resolved again, because it may contain old data of the account.
   */
  async current (): Promise<RequestContext> {
    if (this.#isChanged) {
      this.#isChanged = false
      this.#resolving = this.#parts.resolve()
    }
    if (this.#resolving !== undefined) this.#context = await this.#resolving
    return this.#context
  }

  /** Returns the response of the source; `undefined` if the source does not implement the method. */
  async read<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    return this.#ask(method, args)
  }

  /** Reads as `read` does, without unavailable sources. The response names these in `Source-Partial`. */
  async readPart<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    return this.#ask(method, args, { takesPart: true })
  }

  /** Reads like `read`, but ignores cache entries that are older than a moment. */
  async readAgain<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    return this.#ask(method, args, { refresh: true })
  }

  /** Returns the library of the source; `undefined` if the source has no library. */
  library (): Promise<CachedLibrary | undefined> {
    this.#library ??= this.current().then(context => this.#libraryOf(context))
    return this.#library
  }

  #libraryOf (context: RequestContext): CachedLibrary | undefined {
    const { source, call } = this.#parts
    const own = context.adapter.library as OrderedLibrary | null | undefined ?? undefined
    const fault = own && libraryFault(own)
    if (fault !== undefined) throw new TypeError(fault)
    const library: OrderedLibrary | undefined = own?.[withKept]?.(this.keeper) ?? own
    // An unread library has no lists.
    if (library === undefined || library[stored] === false) return undefined
    return new CachedLibrary(library, {
      context,
      get signal () { return call.signal },
      pause: () => this.pause(),
      kept: source.libraryIds,
      run: ask => this.callAdapter(ask),
      share: () => this.share(),
      usable: (method, list, from) => this.usable(method, list, from) as readonly unknown[],
      usableFacets: (facets, from) => source.conformFacets(facets, from) as LibraryFacets,
      tellPartial: missing => call.tellPartial?.(missing)
    })
  }

  /** Calls an adapter method that is not an operation, within the time limit. */
  callAdapter<T> (call: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => this.#parts.call.run(call, resolve, reject))
  }

  async #ask<M extends ReadMethod> (
    method: M, args: ArgumentsOf<M>, { refresh = false, takesPart = false } = {}
  ): Promise<AnswerOf<M> | undefined> {
    if (!this.has(method)) return undefined
    try {
      const question = Object.assign(await this.#question(method, args, refresh), { takesPart })
      return withUsableItems(await this.#parts.source.ask(question)) as AnswerOf<M>
    } catch (error) {
      if (readError(error, []).status === 501) return undefined
      throw error
    }
  }

  /**
   * Calls a mutation.
   *
   * @throws SourceError if the source does not support or rejects the change
   */
  async change<M extends MutationMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M>> {
    if (!this.has(method)) {
      throw new UnsupportedFeatureError(
        this.isStateful ? 'This source does not offer that' : 'This source has no accounts')
    }
    const question = await this.#question(method, args)
    const answer = await this.#change(question).finally(() => this.#noteChange())
    if (isRefusal(answer)) throw refused()
    return answer as AnswerOf<M>
  }

  #noteChange (): void {
    this.#isChanged = true
    this.#library = undefined
  }

  async together<T> (run: () => Promise<T>): Promise<T> {
    const { source, call } = this.#parts
    return source.together(call, async change => {
      this.#change = change
      return run()
    }).finally(() => { this.#change = question => source.change(question) })
  }

  alone<T> (playlist: string, run: () => Promise<T>): Promise<T> {
    return this.#parts.source.edits(run, { key: playlist })
  }

  async changeAtOnce<M extends keyof SourceChanges> (
    method: M, args: ExtraArguments<M>, changed: (answer: ExtraAnswer<M> | undefined) => readonly Changed[]
  ): Promise<ExtraAnswer<M>> {
    const { source, call } = this.#parts
    const { adapter, account } = await this.current()
    const conform = (data: unknown) => {
      // `changed` is not part of the operation's schema.
      const { changed, ...answer } = Object(data) as { changed?: unknown }
      const isOwn = method === 'setFavorites' && changed !== undefined
      const conforming = source.operation(conformsTo[method]).conform(isOwn ? answer : data)
      return isOwn ? { ...conforming as object, changed } : conforming
    }
    const changes = (data: unknown) =>
      changed(data as ExtraAnswer<M> | undefined).map(change => ({ ...change, account }))
    const answer = await source.changeAtOnce(call, async () =>
      conform(await Reflect.apply(adapter[method] as (...args: unknown[]) => unknown, adapter, args)), changes)
      .finally(() => this.#noteChange())
    if (isRefusal(answer)) throw refused()
    return answer as ExtraAnswer<M>
  }

  /** Reads like `read`, but returns `undefined` for an item that does not exist. */
  async find<M extends ReadMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    try {
      return await this.read(method, ...args)
    } catch (error) {
      if (readError(error, []).status === 404) return undefined
      throw error
    }
  }

  /**
   * Returns data from outside a question, conforming to the contract.
   *
   * @param from the origin of the data, for messages
   */
  usable<M extends ReadMethod> (method: M, data: unknown, from?: string): AnswerOf<M> {
    return withUsableItems(this.#parts.source.operation(method).conform(data, from)) as AnswerOf<M>
  }

  async #question (method: AdapterMethod, args: readonly unknown[], refresh = false): Promise<Question> {
    const { source, call } = this.#parts
    return new Question(source, source.operation(method), args, await this.current(), call, refresh)
  }
}

/**
 * Blank ids are allowed only for the artists and the album of a track, because other items are unreachable without an
 * id.
 */
const isUsable = (item: unknown): boolean => (item as { id?: unknown } | null | undefined)?.id !== ''

function areUsable (list: readonly unknown[]): boolean {
  for (const item of list) if ((item as { id?: unknown } | null | undefined)?.id === '') return false
  return true
}

/** Removes the items without an id, so that one bad item does not break the page. */
function withUsableItems (data: unknown): unknown {
  if (Array.isArray(data)) return areUsable(data) ? data : data.filter(isUsable)
  const members = data as Record<string, unknown>
  // The artists of a track may have no ids.
  const names = 'songs' in members ? ['songs', 'artists', 'albums'] : ['items', 'tracks']
  const bad = names.filter(name => Array.isArray(members[name]) && !areUsable(members[name]))
  if (bad.length === 0) return data
  return { ...members, ...Object.fromEntries(bad.map(name => [name, (members[name] as unknown[]).filter(isUsable)])) }
}
