import type { AdapterMethod } from '../../contract/operations.ts'
import { rules, type Level, type RuleId } from '../rules.ts'
import type { Answer } from './create-probe.ts'

/** An adapter method, or a route that the package handles itself. */
export type OperationName = AdapterMethod | 'serviceStatus' | 'status'

/** A violation of client expectations. */
export interface Finding {
  readonly rule: RuleId
  readonly level: Level
  readonly operation: OperationName
  /** The request that caused it: `GET /v1/track?id=1`. */
  readonly request: string
  /** A JSON pointer into the body: `/data/artists/0/name`. */
  readonly path?: string
  /** The observed problem. */
  readonly message: string
  /** The recommended remedy. */
  readonly hint: string
  /** The log of a source in development for the request, on several lines: the error with its causes. */
  readonly log?: string
}

/** The location of a finding. */
export interface Location {
  readonly operation: OperationName
  readonly request: string
  readonly path?: string | undefined
  /** The headers of the response, which may contain the request id. */
  readonly headers?: Headers | undefined
}

/** A received response. */
export type ReceivedAnswer = Answer & Location

/** Adds a finding once for each location. Indexes of lists and ids of requests are ignored in the comparison. */
export type Find = (rule: RuleId, where: Location, message: string) => void

/** The findings of one check. */
export class Findings {
  readonly list: Finding[] = []
  /** The ids of the requests with findings, if the responses contain them. */
  readonly requestIds = new Map<Finding, string>()
  readonly #clean: (text: string) => string
  readonly #wants: (operation: OperationName) => boolean
  readonly #found = new Set<string>()

  /**
   * @param clean makes a string of the server fit for a report
   * @param wants returns whether findings about an operation are wanted
   */
  constructor (clean: (text: string) => string, wants: (operation: OperationName) => boolean) {
    this.#clean = clean
    this.#wants = wants
  }

  readonly add: Find = (rule, { operation, request, path, headers }, message) => {
    const id = headers?.get('x-request-id')
    const place = path?.replace(/\/\d+(?=\/|$)/g, '/*') ?? message.replace(`request ${id}`, 'request')
    const key = [rule, operation, place].join(' ')
    if (this.#found.has(key) || !this.#wants(operation)) return
    this.#found.add(key)
    const clean = this.#clean
    const { level, hint } = rules[rule]
    const at = path === undefined ? {} : { path: clean(path) }
    const finding = { rule, level, operation, request: clean(request), ...at, message: clean(message), hint }
    this.list.push(finding)
    if (id) this.requestIds.set(finding, id)
  }
}
