import type { TSchema } from '@sinclair/typebox'
import { limitConcurrency, type ConcurrencyLimit } from '../../async/limit-concurrency.ts'
import type { Status } from '../../../schemas/index.ts'
import {
  operations, serviceStatusPath, statusPath, type AdapterMethod, type Operation
} from '../../contract/operations.ts'
import type { SourceRequest } from '../../client/internal.ts'
import { dataSchemaOf } from './check-answer.ts'
import { addToPool, createPool, type Pool } from './create-pool.ts'
import type { Answer, AskOptions, Probe } from './create-probe.ts'
import { Findings, type Find, type Location, type OperationName, type ReceivedAnswer } from './findings.ts'

/** Audio or a picture that a check of an app did not load, because it is on another server. */
export interface NotLoaded {
  readonly operation: OperationName
  readonly request: string
  /** A JSON pointer to the URL in the body. */
  readonly path: string
  /** The URL without its query. */
  readonly url: string
}

/** The number of known items, and of items requested by id. */
export interface Sampled { readonly asked: number, readonly known: number }

/** The data of a response, with its schema if the operation has another one. */
export interface Seen extends Location { readonly data: unknown, readonly schema?: TSchema }

/** Returns the schema of the data of a response. */
export const schemaOf = ({ operation, schema = dataSchemaOf(operation) }: Seen): TSchema => schema

interface CheckedOperation {
  readonly name: OperationName
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly tag: string
}

/** Everything that is checked, in the order of the report. */
export const checkedOperations: readonly CheckedOperation[] = [
  { name: 'serviceStatus', method: 'GET', path: serviceStatusPath, tag: 'status' },
  { name: 'status', method: 'GET', path: statusPath, tag: 'status' },
  ...operations.map(({ adapterMethod, method, path, tag }) => ({ name: adapterMethod, method, path, tag }))
]

/** The number of requests without a response after which the check stops. */
const maxUnanswered = 3

/** The state of one check. */
export class Inspection {
  readonly findings: Findings
  readonly pool: Pool = createPool()
  /** Whether the source offers each operation; absent while unknown. */
  readonly served = new Map<OperationName, 'served' | 'not offered'>()
  /** Parameters of a successful call of each operation. */
  readonly good = new Map<AdapterMethod, Record<string, unknown>>()
  /** The data of every response, for rules that compare responses. */
  readonly seen: Seen[] = []
  readonly notLoaded: NotLoaded[] = []
  /** The numbers of known and requested items by kind. */
  readonly sampled: Record<string, Sampled> = {}
  /** The number of items of each kind requested by id, and of loaded URLs of each kind. */
  readonly samples: number
  status: Status | undefined
  readonly #probe: Probe
  readonly #limit: ConcurrencyLimit
  /** Returns whether findings about an operation are wanted. */
  readonly wants: (operation: OperationName) => boolean
  readonly #onProgress: (operation: OperationName) => void
  readonly #silent = new Set<OperationName>()
  #unanswered = 0
  #finishing = false

  /** @param onProgress called before each request */
  constructor (
    probe: Probe, concurrency: number, wants: (operation: OperationName) => boolean,
    onProgress: (operation: OperationName) => void, samples: number
  ) {
    this.findings = new Findings(probe.clean, wants)
    this.#probe = probe
    this.samples = samples
    this.#limit = limitConcurrency({ inAll: concurrency })
    this.wants = wants
    this.#onProgress = onProgress
  }

  get find (): Find {
    return this.findings.add
  }

  /** Whether the source has stopped responding. */
  get gaveUp (): boolean {
    return this.#unanswered >= maxUnanswered
  }

  /** Returns whether an operation is skipped, because an earlier call had no response. */
  isSilent (operation: OperationName): boolean {
    return this.gaveUp || this.#silent.has(operation)
  }

  /**
   * Sends a request of an operation. Returns `undefined` without a response; the reason is a finding already. After one
   * request without a response the operation is skipped, so that a hanging source does not delay the check for long.
   */
  ask (operation: OperationName, request: SourceRequest, asking?: AskOptions): Promise<ReceivedAnswer | undefined> {
    return this.#send(operation, request, asking, answer => this.#receive(answer))
  }

  /**
   * Sends a request that the source may reject by closing the connection. Returns `undefined` in that case, without a
   * finding.
   */
  attempt (operation: OperationName, request: SourceRequest): Promise<ReceivedAnswer | undefined> {
    const read = (answer: ReceivedAnswer) => answer.failure === undefined ? this.#receive(answer) : undefined
    return this.#send(operation, request, {}, read)
  }

  /** Stores the items of a response for later calls. */
  remember ({ adapterMethod }: Operation, data: unknown): void {
    if (data !== undefined) addToPool(this.pool, dataSchemaOf(adapterMethod), data)
  }

  /** The wanted operations that have returned data, for further calls. */
  get answered (): Operation[] {
    return operations.filter(({ adapterMethod: name }) => this.good.has(name) && this.wants(name))
  }

  /** Opens audio or a picture. Returns `undefined` if this check cannot open it, which the report lists. */
  open (url: URL, from: Location & { path: string }, headers?: Record<string, string>): Promise<Answer | undefined> {
    return this.#limit(async () => {
      const isOpened = !this.gaveUp && this.#probe.reaches(url)
      const answer = isOpened ? await this.#probe.fetchMedia(url.href, headers) : undefined
      const end = new URL(answer?.headers.get('location') ?? url, url)
      if (this.#probe.reaches(end)) return answer
      this.#noteNotLoaded(end, from)
      return undefined
    })
  }

  #noteNotLoaded ({ origin, pathname }: URL, { operation, request, path }: Location & { path: string }): void {
    const { clean } = this.#probe
    const url = clean(`${origin}${pathname}`)
    if (!this.wants(operation) || this.notLoaded.some(known => known.url === url)) return
    this.notLoaded.push({ operation, request: clean(request), path: clean(path), url })
  }

  /** Runs a clean-up even after the signal has ended the check, or if the source does not respond. */
  async finish<T> (run: () => Promise<T>): Promise<T> {
    this.#finishing = true
    try {
      return await this.#probe.finish(run)
    } finally {
      this.#finishing = false
    }
  }

  #send<T> (
    operation: OperationName, request: SourceRequest, asking: AskOptions | undefined,
    read: (answer: ReceivedAnswer) => T
  ) {
    return this.#limit(async () => {
      if (this.isSilent(operation) && !this.#finishing) return undefined
      this.#onProgress(operation)
      return read({ operation, ...await this.#probe.ask(request, asking) })
    })
  }

  #receive (answer: ReceivedAnswer): ReceivedAnswer | undefined {
    const { failure, status, text } = answer
    if (failure === undefined && status !== 429) return answer
    if (failure === undefined) this.find('rate-limited', answer, 'answered 429')
    else {
      this.#silent.add(answer.operation)
      this.#unanswered++
      this.find(failure, answer, text || 'the answer has no end')
      if (this.#unanswered === maxUnanswered) this.find('gave-up', answer, `${maxUnanswered} requests had no answer`)
    }
    return undefined
  }
}
