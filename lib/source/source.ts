import { limitConcurrency } from '../async/limit-concurrency.ts'
import { withinTime } from '../async/timed-call.ts'
import { operations, type AdapterMethod, type MutationMethod } from '../contract/operations.ts'
import { SourceError, UnauthorizedError, UpstreamError } from '../contract/errors.ts'
import { LibraryFacetsSchema } from '../contract/library-facets.ts'
import { partialOf } from '../contract/partial.ts'
import { noteReported } from '../errors/reported.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { ResponseCache, Change, Invalidation } from './answer-cache.ts'
import { IdCache } from './cached-library.ts'
import type { Caller, Log } from './caller.ts'
import { compileConforming } from './compile-conforming.ts'
import { changedId } from './changed-id.ts'
import { KeptLibraries } from './kept-libraries.ts'
import { createViolationLog, type ViolationLog } from './violation-log.ts'
import { Question } from './question.ts'
import { ResolvedContext } from './resolved-context.ts'
import { channels } from '../tracing/channels.ts'
import { traceCallback } from '../tracing/trace.ts'
import { Plays } from '../plays/index.ts'
import { notAList, SourceOperation } from './source-operation.ts'
import { createAdapterWarnings, createSharingWarnings } from './warn-of-adapter.ts'

interface SourceParts {
  readonly cache: ResponseCache | undefined
  /** If `true`, data that violates the contract is rejected instead of repaired. */
  readonly validateResponses: boolean
  readonly log: Log
}

/**
 * The access of one registration to its adapters: contexts, operations and the cache. It does not depend on Fastify or
 * HTTP.
 */
export class Source {
  readonly cache: ResponseCache | undefined
  readonly validateResponses: boolean
  readonly drifts: ViolationLog
  /** The plays that any protocol reports. */
  readonly plays = new Plays()
  /** The cached id lists of its libraries. */
  readonly libraryIds = new IdCache()
  /** The generated libraries of its accounts. */
  readonly libraries = new KeptLibraries()
  /** Runs the edits of a playlist one after the other. */
  readonly edits = limitConcurrency({ ofKey: 1 })
  /** Returns the facets of a library, checked or repaired. */
  readonly conformFacets: (facets: unknown, from: string) => unknown
  readonly #operations: ReadonlyMap<AdapterMethod, SourceOperation>
  /** The warnings for the authors of its adapters. */
  readonly mistakes = new Set<string>()
  readonly #warnOfAdapter = createAdapterWarnings(this.mistakes)
  readonly #warnOfSharing = createSharingWarnings(this.mistakes)
  readonly #log: Log
  /** Running changes with a time limit. A change ends after the invalidation of the cache. */
  readonly #changes = new Set<Promise<void>>()
  #isClosed = false
  readonly #invalidListeners = [(invalidation: Invalidation) => this.libraries.invalidate(invalidation)]

  constructor ({ cache, validateResponses, log }: SourceParts) {
    this.cache = cache
    this.validateResponses = validateResponses
    this.drifts = createViolationLog(log)
    this.#log = log
    this.#operations = new Map(operations.map(({ adapterMethod: name }) =>
      [name, new SourceOperation(name, { validateResponses, drifts: this.drifts })]))
    const conformFacets = compileConforming(
      LibraryFacetsSchema, { operation: 'library.facets', validateResponses, drifts: this.drifts })
    this.conformFacets = (facets, from) => conformFacets(facets, false, from)
    cache?.attach(log, invalidation => this.#publishInvalid(invalidation))
  }

  operation (name: AdapterMethod): SourceOperation {
    return this.#operations.get(name)!
  }

  /**
   * Validates the return value of `resolveContext`.
   *
   * @throws UnauthorizedError for an empty value; SOURCE_ORIGIN_ERR_INVALID_CONTEXT
   */
  contextOf (given: unknown): RequestContext {
    if (given === null || given === undefined || given === false || given === '') throw new UnauthorizedError()
    const context = new ResolvedContext(given)
    this.#warnOfAdapter(context.adapter, given as object, this.#log)
    if (this.validateResponses) this.#warnOfSharing(context, this.#log)
    return context
  }

  /**
   * Calls the listener with each invalidation: changes by any protocol, and invalidations of the cache and its
   * replicas.
   */
  onInvalid (listener: (invalidation: Invalidation) => void): void {
    this.#invalidListeners.push(listener)
  }

  /**
   * Returns the response of a read, checked or repaired: from the cache or the adapter, within the time limit of the
   * caller. It may be the adapter's own object, which must not be changed.
   *
   * @throws the error of the adapter; TimeoutError; TypeError for a list that is not an array
   */
  ask (question: Question): Promise<unknown> {
    return traced(question, () => this.#ask(question))
  }

  async #ask (question: Question): Promise<unknown> {
    const { operation, caller } = question
    // No request joins a call whose signal is already aborted.
    if (this.cache === undefined || caller.isOver) {
      const data = await withinTime(caller, () => question.callAdapter())
      checkPart(question, partialOf(data))
      return operation.conform(data)
    }
    question.takesData = true
    const answer = await this.cache.fetch(question)
    checkPart(question, answer.missing)
    if (answer.lacksList) throw notAList(operation.row.adapterMethod)
    return answer.data === undefined ? operation.read(answer.body, answer.extras) : operation.conform(answer.data)
  }

  /**
   * Returns the response of a mutation, checked or repaired, after the invalidation of the cache.
   *
   * @throws the same errors as `ask`
   */
  change (question: Question, forget?: (changes: readonly Change[]) => Promise<void>): Promise<unknown> {
    return traced(question, () => new Promise((resolve, reject) =>
      this.runChange(question, data => resolve(question.operation.conform(data)), reject, forget)))
  }

  /** Runs the mutations of one call, and invalidates the affected cache entries at its end, in one pass. */
  async together<T> (
    caller: Caller, run: (change: (question: Question) => Promise<unknown>) => Promise<T>
  ): Promise<T> {
    const changed: Change[] = []
    let isOver = false
    const end = this.#begin(caller)
    const forget = async (changes: readonly Change[]) => {
      // A call that exceeds its time limit may end after the others.
      if (isOver) await this.#forget(changes)
      else changed.push(...changes)
    }
    try {
      return await run(question => this.change(question, forget))
    } finally {
      isOver = true
      await this.#forget(changed)
      end()
    }
  }

  /** Calls a mutation and invalidates the affected cache entries, then calls either `onData` or `onError`. */
  runChange (
    question: Question, onData: (data: unknown) => void, onError: (error: Error) => void,
    forgetNow = (changes: readonly Change[]) => this.#forget(changes)
  ): void {
    const { caller, operation, args, context: { account } } = question
    const forget = async (data: unknown) => {
      const id = changedId(operation.row, args, data)
      const change = { operation: operation.row.adapterMethod as MutationMethod, args, account }
      await forgetNow([id === undefined ? change : { ...change, id }])
    }
    this.#runChange(caller, () => question.callAdapter(), forget, onData, onError)
  }

  /**
   * Calls a method that makes several changes, and invalidates the affected cache entries.
   *
   * @param changes returns the mutations; if the call failed and its result is unknown, all mutations that may have
   * been made
   */
  changeAtOnce (
    caller: Caller, call: () => unknown, changes: (data: unknown) => readonly Change[]
  ): Promise<unknown> {
    const forget = (data: unknown) => this.#forget(changes(data))
    return new Promise((resolve, reject) => this.#runChange(caller, call, forget, resolve, reject))
  }

  #runChange (
    caller: Caller, call: () => unknown, forget: (data: unknown) => Promise<void>,
    onData: (data: unknown) => void, onError: (error: Error) => void
  ): void {
    if (this.#isClosed) return onError(new SourceError(503, 'The server is closed'))
    let isSettled = false
    const end = this.#begin(caller)
    caller.run(async () => {
      let data: unknown
      try {
        data = await call()
        return data
      } finally {
        isSettled = true
        await forget(data)
      }
    }, data => {
      end()
      onData(data)
    }, async error => {
      // After the time limit the call still runs: it may have made changes already, and may make more.
      if (!isSettled) await forget(undefined)
      end()
      onError(error)
    })
  }

  /** Registers a call, so that closing waits for it if it has a time limit. @returns a function that ends it */
  #begin ({ hasLimit }: Caller): () => void {
    let end = () => {}
    if (!hasLimit) return end
    const ended = new Promise<void>(resolve => { end = resolve })
    this.#changes.add(ended)
    ended.then(() => this.#changes.delete(ended))
    return end
  }

  async #forget (changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    if (this.cache === undefined) this.#publishInvalid({ changes })
    else await this.cache.change(changes)
  }

  #publishInvalid (invalidation: Invalidation): void {
    for (const listener of this.#invalidListeners) listener(invalidation)
  }

  async close (): Promise<void> {
    this.drifts.report()
    // The server does not wait for clients that have disconnected, but other replicas must receive their changes.
    this.#isClosed = true
    this.libraries.close()
    await Promise.all([...this.#changes, this.plays.close()])
    await this.cache?.close()
  }
}

const deletesNothing = new Set<AdapterMethod>(['getTrackDetail', 'getPlaylistDetail'])

/**
 * Checks a partial response. Apps of protocols other than `/v1` store lists, and delete items that are missing from
 * them. The headers of a partial response name the missing sources.
 *
 * @throws UpstreamError for a partial response, except for a search, a track, or a playlist, which contains a
 * placeholder for each missing track
 */
function checkPart ({ takesPart, caller, operation: { row } }: Question, missing: readonly string[] = []): void {
  if (missing.length === 0) return
  if (takesPart || row.tag === 'search' || deletesNothing.has(row.adapterMethod)) {
    caller.tellPartial?.(missing)
    return
  }
  // The combination has already logged it.
  throw noteReported(
    new UpstreamError(`${row.adapterMethod} is not whole: ${missing.join(', ')} is not responding`))
}

/** Runs a question and publishes it on the diagnostics channel of operations. */
const traced = (question: Question, ask: () => Promise<unknown>): Promise<unknown> =>
  channels.operation.hasSubscribers
    ? traceCallback(channels.operation, question.message, question.caller.secrets, end => {
      const asked = ask()
      asked.then(() => end(), end)
      return asked
    })
    : ask()
