import { partialOf } from '../contract/partial.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { channels, type ChannelMessages } from '../tracing/channels.ts'
import { trace } from '../tracing/trace.ts'
import type { Caller } from './caller.ts'
import type { SourceOperation } from './source-operation.ts'
import { warnOfAnswer } from './warn-of-answer.ts'
import { warnOfQualities } from './warn-of-qualities.ts'

/** The return value of an adapter in the form in which it is cached and sent. */
export interface WrittenData {
  /** The body of a successful response of `/v1`. */
  readonly body: string
  /** The extras as a string; `/v1` does not send them. */
  readonly extras?: string | undefined
  /** The unchanged return value of the adapter. */
  readonly data?: unknown
  /** The ids of the missing sources. Default: none. */
  readonly missing?: readonly string[] | undefined
}

/** A request for one operation with its arguments, by one caller. */
export class Question {
  readonly operation: SourceOperation
  /** The arguments of the adapter method, including defaults. */
  readonly args: readonly unknown[]
  readonly context: RequestContext
  readonly caller: Caller
  /** If `true`, cache entries are not used. */
  readonly refresh: boolean
  /** If `true`, the caller accepts objects instead of bytes. */
  takesData = false
  /** If `true`, the caller accepts a response that lacks some of several sources. */
  takesPart = false
  readonly #method: (...args: readonly unknown[]) => unknown

  readonly #validateResponses: boolean
  readonly #mistakes: Set<string>

  /**
   * @param source whether it is development, and the list of mistakes of its authors
   * @throws UnsupportedFeatureError, BadRequestError if the source does not offer the operation or a parameter value
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

  /** Calls the adapter. Returns its value or promise. May throw. */
  callAdapter (): unknown {
    return channels.adapter.hasSubscribers
      ? trace(channels.adapter, this.message, () => this.#call(), this.caller)
      : this.#call()
  }

  #call (): unknown {
    return Reflect.apply(this.#method, this.context.adapter, this.args)
  }

  /** The message of this question in diagnostics channels. */
  get message (): ChannelMessages['operation'] {
    return { operation: this.operation.row.adapterMethod, account: this.context.account }
  }

  /**
   * Returns the response as bytes. If the caller accepts objects and writing bytes would take long, it contains the
   * unchanged data too.
   */
  answerOf (data: unknown): WrittenData {
    const missing = partialOf(data)
    if (!this.takesData || !this.operation.isLong(data)) return { ...this.#write(data), missing }
    const write = () => this.#write(data).body
    // Other callers may wait for the same bytes.
    return { data, missing, get body () { return write() } }
  }

  /** @throws the error of the serializer for data that violates the contract */
  #write (data: unknown): WrittenData {
    const { body, extras } = this.operation.write(data)
    return { body: this.warnOf(body), extras }
  }

  /** Returns the body. In development, logs values in it that clients cannot use. */
  warnOf (body: string): string {
    if (!this.#validateResponses) return body
    const { operation: { row, warned }, args, context: { qualityMap }, caller: { log } } = this
    warnOfAnswer(body, row, args, warned, this.#mistakes, log)
    if (qualityMap !== undefined) warnOfQualities(body, args[row.parameters.indexOf('id')], qualityMap, log)
    return body
  }
}
