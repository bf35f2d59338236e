import { withinTime } from '../async/timed-call.ts'
import { operations, type AdapterMethod, type MutationMethod } from '../contract/operations.ts'
import { SourceError, UnauthorizedError, UpstreamError } from '../contract/errors.ts'
import { partialOf } from '../contract/partial.ts'
import { noteReported } from '../errors/reported.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { AnswerCache, Change, Invalidation } from './answer-cache.ts'
import { KeptIds } from './asked-library.ts'
import type { Caller, Log } from './caller.ts'
import { changedId } from './changed-id.ts'
import { KeptLibraries } from './kept-libraries.ts'
import { createDriftLog, type DriftLog } from './log-drift.ts'
import { Question } from './question.ts'
import { ResolvedContext } from './resolved-context.ts'
import { channels } from '../tracing/channels.ts'
import { traceCallback } from '../tracing/trace.ts'
import { Plays } from '../plays/index.ts'
import { notAList, SourceOperation } from './source-operation.ts'
import { createAdapterWarnings } from './warn-of-adapter.ts'

interface SourceParts {
  readonly cache: AnswerCache | undefined
  /** Whether data that breaks the contract is refused instead of mended. */
  readonly validateResponses: boolean
  readonly log: Log
}

/** One registration's way to its adapters: contexts, operations, and the cache. It knows neither Fastify nor HTTP. */
export class Source {
  readonly cache: AnswerCache | undefined
  readonly validateResponses: boolean
  readonly drifts: DriftLog
  /** What is played, as any protocol tells it. */
  readonly plays = new Plays()
  /** Lists of its libraries, by their ids. */
  readonly libraryIds = new KeptIds()
  /** Generated libraries of its accounts. */
  readonly libraries = new KeptLibraries()
  readonly #operations: ReadonlyMap<AdapterMethod, SourceOperation>
  /** What the authors of its adapters were warned of. */
  readonly mistakes = new Set<string>()
  readonly #warnOfAdapter = createAdapterWarnings(this.mistakes)
  readonly #log: Log
  /** Changes that run within a time limit, each until what it changed is forgotten. */
  readonly #changes = new Set<Promise<void>>()
  #isClosed = false
  readonly #invalidListeners = [(invalidation: Invalidation) => this.libraries.invalidate(invalidation)]

  constructor ({ cache, validateResponses, log }: SourceParts) {
    this.cache = cache
    this.validateResponses = validateResponses
    this.drifts = createDriftLog(log)
    this.#log = log
    this.#operations = new Map(operations.map(({ adapterMethod: name }) =>
      [name, new SourceOperation(name, { validateResponses, drifts: this.drifts })]))
    cache?.attach(log, invalidation => this.#publishInvalid(invalidation))
  }

  operation (name: AdapterMethod): SourceOperation {
    return this.#operations.get(name)!
  }

  /**
   * The context that `resolveContext` gave.
   *
   * @throws UnauthorizedError for none; SOURCE_ORIGIN_ERR_INVALID_CONTEXT
   */
  contextOf (given: unknown): RequestContext {
    if (given === null || given === undefined || given === false) throw new UnauthorizedError()
    const context = new ResolvedContext(given)
    this.#warnOfAdapter(context.adapter, given as object, this.#log)
    return context
  }

  /** Calls the listener with each invalidation: changes of any protocol, and what the cache or its replicas forget. */
  onInvalid (listener: (invalidation: Invalidation) => void): void {
    this.#invalidListeners.push(listener)
  }

  /**
   * What a read answers, checked or mended: from the cache or the adapter, within the time limit of the caller. It may
   * be the adapter's own object, which nobody may change.
   *
   * @throws what the adapter throws; TimeoutError; TypeError where a list is no list
   */
  ask (question: Question): Promise<unknown> {
    return traced(question, () => this.#ask(question))
  }

  async #ask (question: Question): Promise<unknown> {
    const { operation, caller } = question
    // Nobody joins a call whose signal is aborted already.
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
   * What a mutation answers, checked or mended, when what it changed is forgotten.
   *
   * @throws the same as `ask`
   */
  change (question: Question, forget?: (changes: readonly Change[]) => Promise<void>): Promise<unknown> {
    return traced(question, () => new Promise((resolve, reject) =>
      this.runChange(question, data => resolve(question.operation.conform(data)), reject, forget)))
  }

  /** Runs the mutations of one call, and forgets what they changed at its end, in one pass. */
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

  /** Calls a mutation, and either `onData` or `onError` when what it changed is forgotten. */
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
   * Calls what does several mutations as one, and forgets what they changed.
   *
   * @param changes the mutations; of an answer that is not known, since the call failed, those that may have been done
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
      // After the time limit the call still runs: it may have changed something already, and may change more.
      if (!isSettled) await forget(undefined)
      end()
      onError(error)
    })
  }

  /** Closing waits for what has begun, if it ends within a time limit. @returns ends it */
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
    // Clients that have left are not waited for by the server, but other replicas have to learn what they changed.
    this.#isClosed = true
    this.libraries.close()
    await Promise.all([...this.#changes, this.plays.close()])
    await this.cache?.close()
  }
}

const deletesNothing = new Set<AdapterMethod>(['getTrackDetail', 'getPlaylistDetail'])

/**
 * Checks an answer that lacks sources. Apps store the lists of other protocols than `/v1`, and delete what a list does
 * not have. A response from such an answer names the sources.
 *
 * @throws UpstreamError for an answer that lacks what some sources have; not for a search, nor for a track, nor for a
 * playlist, in which something stands for each track
 */
function checkPart ({ takesPart, caller, operation: { row } }: Question, missing: readonly string[] = []): void {
  if (missing.length === 0) return
  if (takesPart || row.tag === 'search' || deletesNothing.has(row.adapterMethod)) {
    caller.tellPartial?.(missing)
    return
  }
  // The combination has logged it.
  throw noteReported(
    new UpstreamError(`${row.adapterMethod} is not whole: ${missing.join(', ')} is not responding`))
}

/** Asks, with messages on the channel of operations. */
const traced = (question: Question, ask: () => Promise<unknown>): Promise<unknown> =>
  channels.operation.hasSubscribers
    ? traceCallback(channels.operation, question.message, question.caller.secrets, end => {
      const asked = ask()
      asked.then(() => end(), end)
      return asked
    })
    : ask()
