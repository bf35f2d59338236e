import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { NotFoundError, TimeoutError } from '../contract/errors.ts'
import { operationOf } from '../contract/find-operation.ts'
import { isObject } from '../contract/is-object.ts'
import type { AdapterMethod } from '../contract/operations.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import type { SourceContext } from '../contract/source-context.ts'
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

/** The source as one call sees it: its adapter with a clock. */
export class Session {
  readonly context: SourceContext
  readonly log: FastifyBaseLogger
  readonly #timeout: number
  readonly #line: Line

  /** @param timeout milliseconds of each adapter call; 0 = no limit */
  constructor (context: SourceContext, log: FastifyBaseLogger, timeout: number, line: Line) {
    this.context = context
    this.log = log
    this.#timeout = timeout
    this.#line = line
  }

  get signal (): AbortSignal { return this.#line.controller.signal }

  get isStateful (): boolean { return this.context.stateless === false }

  has (method: AdapterMethod): boolean {
    return typeof this.context.adapter[method] === 'function' && (this.isStateful || !operationOf(method).stateful)
  }

  /** What goes on after the call must not end with it. */
  detach (): void { this.#line.detach() }

  /** What the source answers; `undefined` where it does not implement the method. */
  async read<M extends AdapterMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    if (!this.has(method)) return undefined
    try {
      return await this.#call(method, args)
    } catch (error) {
      if (isObject(error) && error.status === 501) return undefined
      throw error
    }
  }

  /** As `read`, but `undefined` for an item that does not exist, too. */
  async find<M extends AdapterMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M> | undefined> {
    try {
      return await this.read(method, ...args)
    } catch (error) {
      if (error instanceof NotFoundError || (isObject(error) && error.status === 404)) return undefined
      throw error
    }
  }

  /**
   * Changes something.
   *
   * @throws SubsonicError 50 where the source cannot, or refuses
   */
  async change<M extends AdapterMethod> (method: M, ...args: ArgumentsOf<M>): Promise<AnswerOf<M>> {
    if (!this.has(method)) throw new SubsonicError(50, this.isStateful ? 'This source does not offer that' : 'This source has no accounts')
    const answer = await this.#call(method, args)
    if ((answer as { success?: boolean }).success === false) throw new SubsonicError(50, 'The source refused that')
    return answer
  }

  async #call<M extends AdapterMethod> (method: M, args: ArgumentsOf<M>): Promise<AnswerOf<M>> {
    const { adapter } = this.context
    const call = adapter[method] as unknown as (...args: unknown[]) => AnswerOf<M> | Promise<AnswerOf<M>>
    const answer = await this.#inTime(method, async () => call.apply(adapter, args))
    if (typeof answer !== 'object' || answer === null) throw new TypeError(`${method} answered nothing`)
    return withUsableItems(answer) as AnswerOf<M>
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

/**
 * Without the items that nobody could ask for again: one bad item never costs a page. Groups of toplists have no id.
 */
function withUsableItems (answer: object): object {
  if (Array.isArray(answer)) return answer.filter(isUsable)
  const members = answer as Record<string, unknown>
  // The artists of a track may be without ids.
  const lists = 'songs' in members ? ['songs', 'artists', 'albums'] : ['items', 'tracks']
  const usable = lists.flatMap(name => Array.isArray(members[name]) ? [[name, members[name].filter(isUsable)]] : [])
  return usable.length === 0 ? answer : { ...answer, ...Object.fromEntries(usable) }
}

const isUsable = (item: unknown): boolean => isObject(item) && ('list' in item || (typeof item.id === 'string' && item.id !== ''))
