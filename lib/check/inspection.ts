import type { Status } from '../../schemas/index.ts'
import { operations, sdkPaths, type AdapterMethod } from '../operations.ts'
import type { SourceRequest } from '../client/send-request.ts'
import type { Answer, Probe, Token } from './create-probe.ts'
import { createLimit } from './create-limit.ts'
import { createPool, type Pool } from './create-pool.ts'
import { rules, type Level, type RuleId } from './rules.ts'

/** An adapter method, or what the SDK answers by itself. */
export type OperationName = AdapterMethod | 'serviceStatus' | 'status'

/** Something that is not as clients expect it. */
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
}

/** Where a finding is: what most of its callers have in their hands. */
export interface Place {
  readonly operation: OperationName
  readonly request: string
  readonly path?: string
}

/** An answer that there is something to say about. */
export type Judged = Answer & Place

/** What is checked. */
interface CheckedOperation {
  readonly name: OperationName
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly tag: string
}

/** Method, path and tag of everything that is checked, in the order of the report. */
export const checkedOperations: readonly CheckedOperation[] = [
  { name: 'serviceStatus', method: 'GET', path: sdkPaths.serviceStatus, tag: 'status' },
  { name: 'status', method: 'GET', path: sdkPaths.status, tag: 'status' },
  ...operations.map(({ adapterMethod, method, path, tag }) => ({ name: adapterMethod, method, path, tag }))
]

/** Called before each request. */
export type Progress = (operation: OperationName) => void

/** Requests without an answer after which the source is left alone. */
const patience = 3

/** What one check has seen so far. */
export class Inspection {
  readonly findings: Finding[] = []
  readonly pool: Pool = createPool()
  /** What became of each operation; absent while nobody knows. */
  readonly served = new Map<OperationName, 'served' | 'not offered'>()
  /** Parameters that each operation has answered with data, by name. */
  readonly good = new Map<AdapterMethod, Record<string, unknown>>()
  /** Every data that came, for the rules that look at more than one answer. */
  readonly seen: (Place & { readonly data: unknown })[] = []
  status: Status | undefined
  readonly #probe: Probe
  readonly #limit: ReturnType<typeof createLimit>
  /** Whether findings about an operation are wanted. */
  readonly wants: (operation: OperationName) => boolean
  readonly #onProgress: Progress
  readonly #places = new Set<string>()
  readonly #silent = new Set<OperationName>()
  #unanswered = 0

  constructor (probe: Probe, concurrency: number, wants: (operation: OperationName) => boolean, onProgress: Progress) {
    this.#probe = probe
    this.#limit = createLimit(concurrency)
    this.wants = wants
    this.#onProgress = onProgress
  }

  /** Whether the source has stopped answering. */
  get gaveUp (): boolean {
    return this.#unanswered >= patience
  }

  /** Notes a finding, once for each place whatever the index. */
  find (rule: RuleId, { operation, request, path }: Place, message: string): void {
    const place = [rule, operation, path?.replace(/\/\d+(?=\/|$)/g, '/*') ?? message].join(' ')
    if (this.#places.has(place) || !this.wants(operation)) return
    this.#places.add(place)
    const { clean } = this.#probe
    const { level, hint } = rules[rule]
    const at = path === undefined ? {} : { path: clean(path) }
    this.findings.push({ rule, level, operation, request: clean(request), ...at, message: clean(message), hint })
  }

  /**
   * Asks the source about an operation. `undefined` when there is no answer to judge: that is noted already. An operation that did
   * not answer once is not asked again, so that a hanging source does not hold the check for long.
   */
  ask (operation: OperationName, request: SourceRequest, token?: Token): Promise<Judged | undefined> {
    return this.#limit(async () => {
      if (this.gaveUp || this.#silent.has(operation)) return undefined
      this.#onProgress(operation)
      return this.#judge({ operation, ...await this.#probe.ask(request, token) })
    })
  }

  /** Opens audio or a picture. `undefined` when it is not for this check to open. */
  open (url: URL, headers?: Record<string, string>): Promise<Answer | undefined> {
    return this.#limit(async () => this.gaveUp || !this.#probe.reaches(url) ? undefined : this.#probe.fetchMedia(url.href, headers))
  }

  #judge (answer: Judged): Judged | undefined {
    const { failure, status, text } = answer
    if (failure === undefined && status !== 429) return answer
    if (failure === undefined) this.find('rate-limited', answer, 'answered 429')
    else {
      this.#silent.add(answer.operation)
      this.#unanswered++
      this.find(failure, answer, text || 'the answer has no end')
      if (this.#unanswered === patience) this.find('gave-up', answer, `${patience} requests had no answer`)
    }
    return undefined
  }
}
