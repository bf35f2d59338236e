import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { TimeoutError } from '../contract/errors.ts'
import { operationOf } from '../contract/find-operation.ts'
import type { AdapterMethod } from '../contract/operations.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { SourceContext } from '../contract/source-context.ts'
import { loggable } from '../errors/loggable.ts'
import { readError } from '../errors/read-error.ts'
import type { ReadData } from './read-data.ts'
import { SubsonicError } from './subsonic-error.ts'
import { unlessLate } from './unless-late.ts'

type Method<M extends AdapterMethod> = NonNullable<SourceAdapter[M]>
export type ArgumentsOf<M extends AdapterMethod> = Parameters<Method<M>>
export type AnswerOf<M extends AdapterMethod> = Awaited<ReturnType<Method<M>>>

/** The line to the client: its signal is aborted when the client hangs up, until it is detached. */
export interface Line { readonly controller: AbortController, readonly detach: () => void }

export function openLine (reply: FastifyReply): Line {
  const controller = new AbortController()
  const hangUp = () => { if (!reply.raw.writableFinished) controller.abort(new Error('The client hung up')) }
  reply.raw.once('close', hangUp)
  return { controller, detach: () => reply.raw.off('close', hangUp) }
}

interface Surroundings {
  readData: ReadData
  /** Milliseconds of each adapter call; 0 = no limit. */
  timeout: number
  /** What must not be logged. */
  secrets: readonly string[]
}

/** The source as one call sees it: its adapter with a clock. */
export class Session {
  readonly context: SourceContext
  readonly log: FastifyBaseLogger
  readonly readData: ReadData
  readonly #timeout: number
  readonly #line: Line
  readonly #secrets: readonly string[]

  constructor (context: SourceContext, log: FastifyBaseLogger, surroundings: Surroundings, line: Line) {
    this.context = context
    this.log = log
    this.readData = surroundings.readData
    this.#timeout = surroundings.timeout
    this.#secrets = surroundings.secrets
    this.#line = line
  }

  get signal (): AbortSignal { return this.#line.controller.signal }

  get isStateful (): boolean { return this.context.stateless === false }

  has (method: AdapterMethod): boolean {
    return typeof this.context.adapter[method] === 'function' && (this.isStateful || !operationOf(method).stateful)
  }

  /** Logs what went wrong without harm to the call. */
  warn (error: unknown, message: string): void {
    this.log.warn({ err: loggable(error, this.#secrets) }, message)
  }

  /** What goes on after the call must not end with it. */
  detach (): void { this.#line.detach() }

  /** What the source answers; `undefined` where it does not implement the method. */
  async read<M extends AdapterMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    if (!this.has(method)) return undefined
    try {
      return await this.#call(method, args)
    } catch (error) {
      if (readError(error, []).status === 501) return undefined
      throw error
    }
  }

  /** As `read`, but `undefined` for an item that does not exist, too. */
  async find<M extends AdapterMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    try {
      return await this.read(method, ...args)
    } catch (error) {
      if (readError(error, []).status === 404) return undefined
      throw error
    }
  }

  /**
   * Changes something.
   *
   * @throws SubsonicError 50 where the source cannot, or refuses
   */
  async change<M extends AdapterMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M>> {
    if (!this.has(method)) {
      throw new SubsonicError(50, this.isStateful ? 'This source does not offer that' : 'This source has no accounts')
    }
    const answer = await this.#call(method, args)
    if ((answer as { success?: boolean }).success === false) throw new SubsonicError(50, 'The source refused that')
    return answer
  }

  async #call<M extends AdapterMethod> (method: M, args: ArgumentsOf<M>): Promise<AnswerOf<M>> {
    const { adapter } = this.context
    const call = adapter[method] as unknown as (...args: unknown[]) => AnswerOf<M> | Promise<AnswerOf<M>>
    const answer = await this.#inTime(method, async () => call.apply(adapter, args))
    return this.readData(method, answer) as AnswerOf<M>
  }

  async #inTime<T> (method: AdapterMethod, run: () => Promise<T>): Promise<T> {
    if (this.#timeout === 0) return run()
    return unlessLate(this.#timeout, run(), () => {
      const error = new TimeoutError(`The source did not answer ${method} within ${this.#timeout} ms`)
      this.#line.controller.abort(error)
      return error
    })
  }
}
