import { operations, type AdapterMethod, type MutationMethod, type ReadMethod } from '../contract/operations.ts'
import { UnauthorizedError, UpstreamError } from '../contract/errors.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { AnswerCache, Change } from './answer-cache.ts'
import type { Caller, Log } from './caller.ts'
import { changedId } from './changed-id.ts'
import { createDriftLog, type DriftLog } from './log-drift.ts'
import { Question } from './question.ts'
import { ResolvedContext } from './resolved-context.ts'
import { SourceOperation } from './source-operation.ts'
import { createAdapterWarnings } from './warn-of-adapter.ts'

type MethodOf<M extends AdapterMethod> = NonNullable<SourceAdapter[M]>
export type ArgumentsOf<M extends AdapterMethod> = Parameters<MethodOf<M>>
export type DataOf<M extends AdapterMethod> = Awaited<ReturnType<MethodOf<M>>>

interface SourceParts {
  readonly cache: AnswerCache | undefined
  /** Whether data that breaks the contract is refused instead of mended. */
  readonly refuse: boolean
  readonly log: Log
}

/**
 * The one way to an adapter: every protocol asks its operations here. Answers conform, come from the cache where there
 * is one, and take no longer than the time limit of the caller.
 */
export class Source {
  readonly cache: AnswerCache | undefined
  readonly refuse: boolean
  readonly drifts: DriftLog
  readonly #operations: ReadonlyMap<AdapterMethod, SourceOperation>
  readonly #warnOfAdapter = createAdapterWarnings()
  readonly #log: Log
  readonly #listeners = new Set<(change: Change | undefined) => void>()

  constructor ({ cache, refuse, log }: SourceParts) {
    this.cache = cache
    this.refuse = refuse
    this.drifts = createDriftLog(log)
    this.#log = log
    this.#operations = new Map(operations.map(({ adapterMethod: name }) =>
      [name, new SourceOperation(name, { refuse, drifts: this.drifts })]))
    cache?.attach(log, change => this.#announce(change))
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
    this.#warnOfAdapter(context.adapter, this.#log)
    return context
  }

  /** Whether an operation can be asked in a context. */
  offers (name: AdapterMethod, { adapter, stateless }: RequestContext): boolean {
    return typeof adapter[name] === 'function' && !(stateless && this.operation(name).row.stateful)
  }

  /**
   * Asks an operation that reads. An answer may come from the cache.
   *
   * @param refresh whether the caller does not want a cache entry
   * @throws what the adapter throws; TimeoutError; UnsupportedFeatureError and BadRequestError where the source does not
   * offer what is asked; UpstreamError for a page whose list the adapter left out; errors of data that breaks the
   * contract
   */
  async ask<M extends ReadMethod> (
    name: M, args: ArgumentsOf<M>, context: RequestContext, caller: Caller, refresh = false
  ): Promise<DataOf<M>> {
    const question = new Question(this, this.operation(name), args, context, caller, refresh)
    // Nobody joins the call of a client that has gone: its signal is aborted already.
    if (this.cache === undefined || caller.hasLeft) return this.#call(question) as Promise<DataOf<M>>
    const { body, lacksList } = await this.cache.fetch(question)
    if (lacksList) throw noList()
    return JSON.parse(body.toString()).data
  }

  /**
   * Asks an operation that changes something. Whatever came of it, it may have changed something: the cache forgets
   * that, and who listens is told, before this settles.
   *
   * @throws the same as `ask`
   */
  change<M extends MutationMethod> (
    name: M, args: ArgumentsOf<M>, context: RequestContext, caller: Caller
  ): Promise<DataOf<M>> {
    const question = new Question(this, this.operation(name), args, context, caller, false)
    return new Promise((resolve, reject) => {
      this.runChange(question, data => resolve(question.operation.read(data) as DataOf<M>), reject)
    })
  }

  /** Calls a mutation, and either `onData` or `onError` when what it changed is forgotten. */
  runChange (question: Question, onData: (data: unknown) => void, onError: (error: Error) => void): void {
    let isSettled = false
    question.caller.run(async () => {
      let data: unknown
      try {
        data = await question.callAdapter()
        return data
      } finally {
        isSettled = true
        await this.#forget(question, data)
      }
    }, onData, async error => {
      // After the time limit the call still runs: it may have changed something already, and may change more.
      if (!isSettled) await this.#forget(question, undefined)
      onError(error)
    })
  }

  /**
   * Calls a listener after each change, before it is answered, and where the cache has a store after those of other
   * replicas; `undefined` is a change that may be anything.
   */
  onChange (listener: (change: Change | undefined) => void): void {
    this.#listeners.add(listener)
  }

  #call (question: Question): Promise<unknown> {
    const { caller, operation } = question
    return new Promise((resolve, reject) => caller.run(() => question.callAdapter(), data => {
      if (operation.lacksList(data)) throw noList()
      resolve(operation.read(data))
    }, reject))
  }

  async #forget ({ operation, args, context: { account } }: Question, data: unknown): Promise<void> {
    const id = changedId(operation.row, args, data)
    const change = { operation: operation.row.adapterMethod as MutationMethod, args, account, ...id !== undefined && { id } }
    await this.cache?.change(change)
    this.#announce(change)
  }

  #announce (change: Change | undefined): void {
    for (const listener of this.#listeners) listener(change)
  }

  async close (): Promise<void> {
    this.drifts.report()
    await this.cache?.close()
  }
}

const noList = () => new UpstreamError('The source gave no list')
