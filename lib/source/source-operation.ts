import type { TSchema } from '@sinclair/typebox'
import { enveloped } from '../../schemas/common.ts'
import { operationOf, type AdapterMethod, type Operation } from '../contract/operations.ts'
import { schemasOf } from '../contract/schemas-of.ts'
import { BadRequestError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { RequestContext } from '../contract/source-context.ts'
import { compileConforming, compileSafeProof, named, type ConformingOptions } from './compile-conforming.ts'
import { compileSerializer } from './compile-serializer.ts'
import { plainOf } from './mend-value.ts'

/** Items of a list whose bytes take tens of milliseconds. */
const longList = 5000

type AnyMethod = (...args: readonly unknown[]) => unknown

/** A row of the operations table with what one source compiles from its schemas. */
export class SourceOperation {
  readonly row: Operation
  readonly isRead: boolean
  /** Writes `{ code: 200, data }` as `/v1` sends it. */
  readonly serialize: (body: { code: 200, data: unknown }) => string
  /** What its answers were warned of. */
  readonly warned = new Set<string>()
  readonly #options: ConformingOptions
  #conform: ((data: unknown) => unknown) | undefined
  readonly #offered: readonly [index: number, name: string, list: 'qualityMap' | 'playlistSortOptions'][]
  readonly #lists: readonly string[]

  constructor (name: AdapterMethod, options: Omit<ConformingOptions, 'operation'>) {
    this.row = operationOf(name)
    this.isRead = this.row.method === 'GET'
    const { data } = schemasOf(name)
    this.#options = { operation: name, ...options }
    this.serialize = compileSerializer(enveloped(data), this.#options)
    const { parameters, offeredBy } = this.row
    this.#offered = Object.entries(offeredBy).map(([name, list]) => [parameters.indexOf(name), name, list])
    const { properties = {} } = data.$ref === undefined ? data : named[data.$ref]!
    this.#lists = ['items', 'tracks'].filter(list => properties[list]?.type === 'array')
  }

  /**
   * The adapter method that answers this caller (docs/reference/contract.md, Order of checks).
   *
   * @throws UnsupportedFeatureError where the source has none, BadRequestError for an argument that it does not offer
   */
  methodFor (context: RequestContext, args: readonly unknown[]): AnyMethod {
    const { adapterMethod, stateful } = this.row
    if (stateful && context.stateless) {
      throw new UnsupportedFeatureError(`${adapterMethod} needs an account, and this source is stateless`)
    }
    for (const [index, name, list] of this.#offered) checkOffered(name, args[index], context[list])
    const method: unknown = context.adapter[adapterMethod]
    if (typeof method !== 'function') {
      throw new UnsupportedFeatureError(`This source does not implement ${adapterMethod}`)
    }
    return method as AnyMethod
  }

  /**
   * What an adapter answered as the contract has it. Data that conforms is returned as it is.
   *
   * @throws ContractError for data that is refused, UpstreamError for a TrackUrl without URL, TypeError for data that
   * cannot be mended, and where a list is no list
   */
  conform (data: unknown): unknown {
    this.#conform ??= compileReader(schemasOf(this.row.adapterMethod).data, this.#options)
    const conforming = this.#conform(data)
    if (this.lacksList(data)) throw notAList(this.row.adapterMethod)
    return conforming
  }

  /** Whether it is a list, or has one, that others would wait for while it is written at once. */
  isLong (data: unknown): boolean {
    const plain = Object(plainOf(data))
    return [plain, ...this.#lists.map(list => plain[list])].some(list => Array.isArray(list) && list.length > longList)
  }

  /** Whether the adapter gave something else where a list belongs: the empty list in the answer is no answer then. */
  lacksList (data: unknown): boolean {
    return this.#lists.some(list => !Array.isArray(Object(plainOf(data))[list]))
  }
}

function compileReader (schema: TSchema, options: ConformingOptions): (data: unknown) => unknown {
  const prove = compileSafeProof(schema)
  const conform = compileConforming(schema, options)
  return data => prove(data) === 'no' ? conform(data) : data
}

/** Clients delete what a list does not have, so an empty one must not stand for what is no list. */
export const notAList = (operation: string) => new TypeError(`${operation} must answer with a list`)

/** @throws BadRequestError for a value that the source does not offer; without a list any value passes */
function checkOffered (name: string, value: unknown, offered: RequestContext['qualityMap']): void {
  // An entry that is no option breaks the contract. `/v1/status` leaves it out, and so does this.
  if (value === undefined || offered === undefined || offered.some(option => option?.key === value)) return
  // A key that is no text, which breaks the contract too, could say anything of the source.
  const keys = offered.map(option => option?.key).filter(key => typeof key === 'string')
  throw new BadRequestError(`Parameter ${name} must be one that this source offers: ${keys.join(', ') || 'none'}`)
}
