import { partialOf } from '../contract/partial.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { channels, type ChannelMessages } from '../tracing/channels.ts'
import { trace } from '../tracing/trace.ts'
import type { Caller } from './caller.ts'
import type { SourceOperation } from './source-operation.ts'
import { warnOfAnswer } from './warn-of-answer.ts'
import { warnOfQualities } from './warn-of-qualities.ts'

/** What an adapter answered, as it is kept and sent. */
export interface WrittenData {
  /** The body of a success, as `/v1` sends it. */
  readonly body: string
  /** Extras as text, which `/v1` does not send. */
  readonly extras?: string | undefined
  /** As the adapter gave it. */
  readonly data?: unknown
  /** Ids of the sources that it lacks. Default: none. */
  readonly missing?: readonly string[] | undefined
}

/** One operation with its arguments, asked by one caller. */
export class Question {
  readonly operation: SourceOperation
  /** Arguments of the adapter method, defaults filled in. */
  readonly args: readonly unknown[]
  readonly context: RequestContext
  readonly caller: Caller
  /** Whether the caller does not want a cache entry. */
  readonly refresh: boolean
  /** Whether the caller takes objects in the place of bytes. */
  takesData = false
  /** Whether the caller can do with what some of several sources have. */
  takesPart = false
  readonly #method: (...args: readonly unknown[]) => unknown

  readonly #validateResponses: boolean
  readonly #mistakes: Set<string>

  /**
   * @param source says whether it is development, and keeps the mistakes of its authors
   * @throws UnsupportedFeatureError, BadRequestError where the source does not offer what is asked
   */
  constructor (
    { validateResponses, mistakes }: { readonly validateResponses: boolean, readonly mistakes: Set<string> },
    operation: SourceOperation, args: readonly unknown[],
    context: RequestContext, caller: Caller, refresh: boolean
  ) {
    this.#validateResponses = validateResponses
    this.#mistakes = mistakes
    this.operation = operation
    this.args = args
    this.context = context
    this.caller = caller
    this.refresh = refresh
    this.#method = operation.methodFor(context, args)
  }

  /** What the adapter answers, with or without a promise. May throw. */
  callAdapter (): unknown {
    return channels.adapter.hasSubscribers
      ? trace(channels.adapter, this.message, () => this.#call(), this.caller)
      : this.#call()
  }

  #call (): unknown {
    return Reflect.apply(this.#method, this.context.adapter, this.args)
  }

  /** The question in channels. */
  get message (): ChannelMessages['operation'] {
    return { operation: this.operation.row.adapterMethod, account: this.context.account }
  }

  /** What the adapter answered as bytes; as it is, too, where the caller takes that and bytes would take long. */
  answerOf (data: unknown): WrittenData {
    const missing = partialOf(data)
    if (!this.takesData || !this.operation.isLong(data)) return { ...this.#write(data), missing }
    const write = () => this.#write(data).body
    // Others may wait for the same.
    return { data, missing, get body () { return write() } }
  }

  /** @throws what the serializer throws for data that breaks the contract */
  #write (data: unknown): WrittenData {
    const { body, extras } = this.operation.write(data)
    return { body: this.warnOf(body), extras }
  }

  /** The same body; in development, what clients cannot use in it is logged. */
  warnOf (body: string): string {
    if (!this.#validateResponses) return body
    const { operation: { row, warned }, args, context: { qualityMap }, caller: { log } } = this
    warnOfAnswer(body, row, args, warned, this.#mistakes, log)
    if (qualityMap !== undefined) warnOfQualities(body, args[row.parameters.indexOf('id')], qualityMap, log)
    return body
  }
}
