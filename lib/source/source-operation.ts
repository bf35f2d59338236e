import { enveloped } from '../../schemas/common.ts'
import { handled } from '../async/unawaited.ts'
import { operationOf, type AdapterMethod, type Operation } from '../contract/operations.ts'
import { resolveSchema, schemasOf } from '../contract/schemas-of.ts'
import { BadRequestError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { compileReader, type ConformingOptions } from './compile-conforming.ts'
import { compileSerializer, type Serialize } from './compile-serializer.ts'
import { compileExtras, type ItemExtras } from './item-extras.ts'
import { plainOf } from './repair-value.ts'

/** The number of list items from which writing the bytes takes tens of milliseconds. */
const longList = 5000

type AnyMethod = (...args: readonly unknown[]) => unknown

/** A row of the operations table with the functions that one source compiles from its schemas. */
export class SourceOperation {
  readonly row: Operation
  readonly isRead: boolean
  /** Writes `{ code: 200, data }` for `/v1`. */
  readonly serialize: Serialize
  /** The keys of warnings already logged about its responses. */
  readonly warned = new Set<string>()
  readonly #options: ConformingOptions
  #conform: ((data: unknown, from?: string) => unknown) | undefined
  readonly #offered: readonly [index: number, name: string, list: 'qualityMap' | 'playlistSortOptions'][]
  readonly #lists: readonly string[]
  readonly #extras: ItemExtras | undefined

  constructor (name: AdapterMethod, options: Omit<ConformingOptions, 'operation'>) {
    this.row = operationOf(name)
    this.isRead = this.row.method === 'GET'
    const { data } = schemasOf(name)
    this.#options = { operation: name, ...options }
    this.serialize = compileSerializer(enveloped(data), this.#options)
    this.#extras = compileExtras(data)
    const { parameters, offeredBy } = this.row
    this.#offered = Object.entries(offeredBy).map(([name, list]) => [parameters.indexOf(name), name, list])
    const { properties = {} } = resolveSchema(data)
    this.#lists = ['items', 'tracks'].filter(list => properties[list]?.type === 'array')
  }

  /**
   * Returns the adapter method for this caller (docs/reference/contract.md, Order of checks).
   *
   * @throws UnsupportedFeatureError if the adapter lacks the method, BadRequestError for an argument that the source
   * does not offer
   */
  methodFor (context: RequestContext, args: readonly unknown[]): AnyMethod {
    const { adapterMethod, stateful } = this.row
    if (stateful && context.stateless) {
      throw new UnsupportedFeatureError(`${adapterMethod} needs an account, and this source is stateless`)
    }
    for (const [index, name, list] of this.#offered) refuseUnoffered(name, args[index], context[list])
    const method: unknown = context.adapter[adapterMethod]
    if (typeof method !== 'function') {
      throw new UnsupportedFeatureError(`This source does not implement ${adapterMethod}`)
    }
    return method as AnyMethod
  }

  /**
   * Returns an adapter's response in the form of the contract. Data that conforms is returned unchanged.
   *
   * @param from the origin of the data, for messages; by default the method of this operation
   * @throws ContractError for rejected data, UpstreamError for a TrackUrl without URL, TypeError for data that cannot
   * be repaired and for a list that is not an array
   */
  conform (data: unknown, from?: string): unknown {
    this.#conform ??= compileReader(schemasOf(this.row.adapterMethod).data, this.#options)
    const conforming = this.#conform(data, from)
    if (this.lacksList(data)) throw notAList(from ?? this.row.adapterMethod)
    return conforming
  }

  /** Returns the body of `/v1` and, separately, the extras as a string. */
  write (data: unknown): { readonly body: string, readonly extras?: string | undefined } {
    let extras: string | undefined
    const body = this.serialize({ code: 200, data }, written => {
      if (this.#extras?.write(written) !== undefined) extras = this.#extras.write(this.conform(written))
    })
    return { body, extras }
  }

  /** Returns the data of a body with its extras. */
  read (body: string | Buffer, extras: string | undefined): unknown {
    const { data } = JSON.parse(body.toString())
    if (extras !== undefined) this.#extras?.restore(data, extras)
    return data
  }

  /** Returns whether data is or contains a list that blocks the event loop if it is written in one step. */
  isLong (data: unknown): boolean {
    const plain = Object(plainOf(data))
    return [plain, ...this.#lists.map(list => handled(plain[list]))].some(list =>
      Array.isArray(list) && list.length > longList)
  }

  /**
   * Returns whether the adapter returned something else instead of a list. The empty list in the response is then not
   * valid.
   */
  lacksList (data: unknown): boolean {
    return this.#lists.some(list => !Array.isArray(handled(Object(plainOf(data))[list])))
  }
}

/**
 * Creates the error for a value that is not a list. An empty list must not replace it, because clients delete items
 * that are missing from a list.
 */
export const notAList = (operation: string) => new TypeError(`${operation} must answer with a list`)

/** @throws BadRequestError for a value that the source does not offer; without a list any value is valid */
function refuseUnoffered (name: string, value: unknown, offered: RequestContext['qualityMap']): void {
  // An entry that is not an option violates the contract. Like `/v1/status`, this check ignores it.
  if (value === undefined || offered === undefined || offered.some(option => option?.key === value)) return
  // A key that is not a string violates the contract too. It is not shown, because it could contain internals of the
  // source.
  const keys = offered.map(option => option?.key).filter(key => typeof key === 'string')
  throw new BadRequestError(`Parameter ${name} must be one that this source offers: ${keys.join(', ') || 'none'}`)
}
