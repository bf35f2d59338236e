import type { AdapterMethod } from '../../contract/operations.ts'
import { rules, type Level, type RuleId } from '../rules.ts'
import type { Answer } from './create-probe.ts'

/** An adapter method, or a route that the package answers by itself. */
export type OperationName = AdapterMethod | 'serviceStatus' | 'status'

/** Something that clients do not expect. */
export interface Finding {
  readonly rule: RuleId
  readonly level: Level
  readonly operation: OperationName
  /** The request that showed it: `GET /v1/track?id=1`. */
  readonly request: string
  /** JSON pointer into the body: `/data/artists/0/name`. */
  readonly path?: string
  /** What was seen. */
  readonly message: string
  /** What to do. */
  readonly hint: string
  /** What a source in development has logged of the request, on several lines: the error with its causes. */
  readonly log?: string
}

/** Where a finding is. */
export interface Location {
  readonly operation: OperationName
  readonly request: string
  readonly path?: string | undefined
  /** Of the answer, which may have the id of the request. */
  readonly headers?: Headers | undefined
}

/** An answer that came. */
export type ReceivedAnswer = Answer & Location

/** Adds a finding, once for each location; indexes of lists and ids of requests make no difference. */
export type Find = (rule: RuleId, where: Location, message: string) => void

/** What one check has found. */
export class Findings {
  readonly list: Finding[] = []
  /** Ids of the requests that showed findings, where the answers name them. */
  readonly requestIds = new Map<Finding, string>()
  readonly #clean: (text: string) => string
  readonly #wants: (operation: OperationName) => boolean
  readonly #found = new Set<string>()

  /**
   * @param clean makes a text of the server fit for a report
   * @param wants whether findings about an operation are wanted
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
