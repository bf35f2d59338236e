import type { Dispatcher } from 'undici'
import { sleep } from '../async/sleep.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { RateLimitedError, TimeoutError, UpstreamError } from '../contract/errors.ts'
import { ConcurrencyLimiter, createCooldown } from './concurrency-limiter.ts'
import { Gate, type Verdict } from './gate.ts'
import { isRead, outcomeOfAnswer, outcomeOfFailure, lastOutcome, type Outcome } from './outcome.ts'
import { channels } from '../tracing/channels.ts'
import { prepareRequest, type PreparedRequest } from './prepare-request.ts'
import { sendOnce } from './send-once.ts'
import { upstreamError } from '../errors/upstream-error.ts'
import { traceAttempt } from './trace-attempt.ts'
import {
  fixed, type UpstreamResponse, type UpstreamRequest, type UpstreamScope, type UpstreamStats, type ValidUpstream
} from './upstream.ts'
import { backoff, now } from './wait.ts'

/** The scope of calls: their account and time limits. */
export interface Scope extends UpstreamScope {
  /** The time limit shared by the calls of one `for`. The first call starts it. */
  budget?: { until?: number }
}

/** Reads the part of a response that a caller wants. */
export interface Reader<T> {
  readonly accept: string
  /** @param name the request in messages */
  read (name: string, answer: UpstreamResponse, said: () => Error | undefined): T
}

/** A call with all its attempts. */
interface Call<T> {
  readonly request: UpstreamRequest<T>
  readonly prepared: PreparedRequest
  readonly scope: Scope
  readonly reader: Reader<T>
  readonly signal: AbortSignal
  readonly until: number
  readonly gates: readonly Gate[]
  /** The gate that a 429 closes. */
  readonly cooldown: Gate
  /** The remaining time for waits in milliseconds. */
  maxWait: number
  last?: Outcome<T>
}

/** Runs an attempt. `undefined`: the attempt was not made, because a gate is closed. */
type Attempt<T> = () => Promise<Outcome<T> | undefined>

/** All calls of one upstream. They share limits, gates and connections. */
export class UpstreamCalls {
  readonly #options: ValidUpstream
  readonly #maxWait = fixed.maxWait
  readonly #dispatcher: Dispatcher
  readonly #limiter: ConcurrencyLimiter
  readonly #breaker: Gate | undefined
  readonly #cooldown = createCooldown()
  readonly #running = new Set<AbortController>()
  #closing: Promise<void> | undefined

  constructor (options: ValidUpstream, dispatcher: Dispatcher) {
    this.#options = options
    this.#dispatcher = dispatcher
    this.#limiter = new ConcurrencyLimiter({ ...options, queue: fixed.queue })
    const { breaker } = fixed
    if (options.breaker) this.#breaker = new Gate({ ...breaker, together, longest: Math.max(60_000, breaker.pause) })
  }

  /** @throws the errors of docs/reference/upstream.md, Errors; the signal's reason */
  async call<T> (scope: Scope, path: string, request: UpstreamRequest<T>, reader: Reader<T>): Promise<T> {
    const { baseUrl, trusted, headers, budget } = this.#options
    const id = trusted && scope.requestId !== undefined ? { 'x-request-id': scope.requestId } : undefined
    const prepared = prepareRequest(baseUrl, path, request, reader.accept, [id, headers, scope.headers])
    if (this.#closing !== undefined) throw closedError()
    scope.signal?.throwIfAborted()
    const clock = scope.budget ?? {}
    const until = clock.until ??= now() + budget
    const late = (last?: Outcome<T>) =>
      last?.error?.() ?? upstreamError(TimeoutError, `${prepared.name}: no time is left for this call`)
    const left = until - now()
    if (left <= 0) throw late()

    return this.#limiter.forAccount(scope.account, queue => {
      const gates = [this.#breaker, this.#cooldown, queue?.cooldown].filter(gate => gate !== undefined)
      const cooldown = queue === undefined ? this.#cooldown : queue.cooldown
      let call: Call<T> | undefined
      return withTimeout(async controller => {
        const { signal } = controller
        this.#running.add(controller)
        call = { request, prepared, scope, reader, signal, until, gates, cooldown, maxWait: this.#maxWait }
        try {
          return await this.#repeat(call, attempt => this.#limiter.run(prepared.name, queue, signal, attempt))
        } finally {
          this.#running.delete(controller)
        }
        // With `isWaitedFor`, the gates have the result of the last attempt before the call rejects.
      }, { timeout: left, signal: scope.signal, error: () => late(call?.last), isWaitedFor: true })
    })
  }

  stats (): UpstreamStats {
    const { waiting, cooldowns } = this.#limiter
    return {
      name: this.#options.name,
      running: this.#running.size - waiting,
      waiting,
      breaker: this.#breaker?.passable === false ? 'open' : 'closed',
      cooldowns: cooldowns + Number(!this.#cooldown.passable)
    }
  }

  /** Ends the running calls and all connections, except the connections of the author's own dispatcher. */
  close (): Promise<void> {
    this.#closing ??= this.#options.dispatcher === undefined ? this.#dispatcher.destroy() : Promise.resolve()
    for (const controller of this.#running) controller.abort(closedError())
    return this.#closing
  }

  async #repeat<T> (call: Call<T>, inLimits: (attempt: Attempt<T>) => ReturnType<Attempt<T>>): Promise<T> {
    const { request, prepared, gates, signal } = call
    const retries = prepared.idempotent ? request.retries ?? this.#options.retries : 0
    for (let attempt = 1; ;) {
      await this.#passGates(call)
      const outcome = await inLimits(() => this.#attempt(call, attempt))
      // A gate has closed while the call was in the queue.
      if (outcome === undefined) continue
      const { error, repeat, retryAfterSeconds, verdict } = outcome
      if (error === undefined) return outcome.value as T

      const asked = (retryAfterSeconds ?? 0) * 1000
      const pause = verdict === 'fine' ? asked : Math.max(asked, ...gates.map(gate => gate.pause))
      if (!repeat || attempt > retries) throw error(pause > 0 ? pause / 1000 : undefined)
      const wait = Math.max(backoff(attempt), asked * (1 + Math.random() / 10), pause)
      if (wait > remainingOf(call)) throw error((pause > 0 ? pause : wait) / 1000)
      call.last = outcome
      await waitFor(call, () => sleep(wait, signal))
      attempt++
    }
  }

  /** Waits until all gates are open; throws if that takes too long. */
  async #passGates<T> (call: Call<T>): Promise<void> {
    const { prepared: { name }, gates, signal } = call
    for (let shut; (shut = gates.find(gate => !gate.passable)) !== undefined;) {
      const gate = shut
      const remaining = remainingOf(call)
      if (remaining <= 0 || gate.pause > remaining) {
        const retryAfterSeconds = Math.max(1, gate.pause / 1000)
        throw gate === this.#breaker
          ? upstreamError(UpstreamError, `${name}: not called, since the upstream keeps failing`, retryAfterSeconds)
          : upstreamError(
            RateLimitedError, `${name}: not called, since the upstream limits the calls`, retryAfterSeconds
          )
      }
      await waitFor(call, () => this.#limiter.waitAt(name, gate, remaining, signal))
    }
  }

  /** Makes one attempt; returns `undefined` if a gate is closed. */
  async #attempt<T> (call: Call<T>, attempt: number): Promise<Outcome<T> | undefined> {
    const { prepared, scope, gates } = call
    if (!gates.every(gate => gate.passable)) return undefined
    const firsts = gates.map(gate => gate.pass())
    const begun = now()
    const outcome = channels.upstream.hasSubscribers
      ? await traceAttempt(this.#options, { ...call, attempt }, prepared => this.#send({ ...call, prepared }))
      : await this.#send(call)

    const { method, origin, pathname } = prepared
    const fields = { method, origin, path: pathname, status: outcome.status, account: scope.account }
    scope.log?.debug({ ...fields, code: outcome.code, ms: Math.round(now() - begun), attempt }, 'upstream call')
    for (const [index, gate] of gates.entries()) {
      const isBreaker = gate === this.#breaker
      const asked = isBreaker || outcome.retryAfterSeconds === undefined ? undefined : outcome.retryAfterSeconds * 1000
      const pause = gate.settle(firsts[index]!, this.#verdictOf(outcome, gate, call.cooldown), asked)
      if (pause === undefined) continue
      if (isBreaker) scope.log?.warn({ ...fields, pause }, 'upstream failing')
      else scope.log?.warn({ ...fields, pause }, 'upstream rate limited')
    }
    return outcome
  }

  #verdictOf ({ verdict }: Outcome<unknown>, gate: Gate, cooldown: Gate): Verdict {
    if (gate === this.#breaker) return verdict === 'failed' ? 'bad' : verdict === 'left' ? 'unknown' : 'good'
    return verdict === 'fine' ? 'good' : verdict === 'limited' && gate === cooldown ? 'bad' : 'unknown'
  }

  /** Sends a request. Never rejects. */
  async #send<T> ({ prepared, request, reader, scope, signal }: Call<T>): Promise<Outcome<T>> {
    const { name } = prepared
    const timeout = request.timeout ?? this.#options.timeout
    const wanted = (status: number) => isRead(status, request.errors)
    try {
      const answer = await withTimeout(
        ({ signal }) => sendOnce(this.#dispatcher, prepared, wanted, this.#options.maxBody, signal),
        {
          timeout,
          signal,
          error: () => new TimeoutError(`no answer within ${timeout} ms`),
          // The status of an error is useful even without its body.
          isWaitedFor: true
        })
      return outcomeOfAnswer(prepared, answer, request, reader.read)
    } catch (error) {
      if (!signal.aborted) return outcomeOfFailure(name, error)
      const isOver = !scope.signal?.aborted && this.#closing === undefined
      return lastOutcome(error, isOver ? 'failed' : 'left')
    }
  }
}

/**
 * The window in milliseconds in which failures count as one, because a short loss of the connection ends all running
 * calls.
 */
const together = 250

const closedError = () => new UpstreamError('The upstream client is closed')

/** Returns the remaining time for waits in milliseconds. */
const remainingOf = ({ maxWait, until }: { maxWait: number, until: number }) => Math.min(maxWait, until - now())

/** Waits, and subtracts the time from the remaining time for waits. */
async function waitFor (call: { maxWait: number }, wait: () => Promise<void>): Promise<void> {
  const begun = now()
  await wait()
  call.maxWait -= now() - begun
}
