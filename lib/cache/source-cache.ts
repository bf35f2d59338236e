import { elapsed } from '../async/elapsed.ts'
import { withinTime } from '../async/timed-call.ts'
import type { ReadMethod } from '../contract/operations.ts'
import { invalidOption } from '../errors/author-errors.ts'
import type {
  ResponseCache, CachedResponse, Change, InvalidationFilter, Invalidation, Log, Question
} from '../source/index.ts'
import { answerOf, answerOfResult, sentOnce } from './answer-of.ts'
import { cacheKeyOf } from './cache-key.ts'
import type { CacheKey, CallForAll, Result } from './cache-store.ts'
import { classifyError } from './classify-error.ts'
import { CacheEntries, type CacheEntry } from './entries.ts'
import { InFlightRequest, InFlightRequests } from './in-flight-request.ts'
import { InvalidationRules } from './invalidation-rules.ts'
import { refreshable, ResultWriter } from './result-writer.ts'
import { CacheMetrics, type CacheStats } from './metrics.ts'
import {
  validateCacheOptions, validateFilter, type ValidCacheOptions, type SourceCacheOptions
} from './source-cache-options.ts'

/**
 * The maximum number of changes of one call that are published one by one. More changes invalidate all entries of the
 * account.
 */
const mostChanges = 500

/** A cache of responses for one registration of the plugin. */
export class SourceCache implements ResponseCache {
  readonly #options: ValidCacheOptions
  readonly #entries: CacheEntries
  readonly #metrics: CacheMetrics
  readonly #rules: InvalidationRules
  readonly #writer: ResultWriter
  readonly #requests = new InFlightRequests()
  #onInvalid: ((invalidation: Invalidation) => void) | undefined

  constructor (options: SourceCacheOptions) {
    const { maxSize, maxAge, affects } = this.#options = validateCacheOptions(options)
    const entries = this.#entries = new CacheEntries(maxSize)
    const metrics = this.#metrics = new CacheMetrics()
    const rules = this.#rules = new InvalidationRules(affects, metrics)
    this.#writer = new ResultWriter({ entries, rules, metrics, maxAge })
  }

  attach (log: Pick<Log, 'warn'>, onInvalid: (invalidation: Invalidation) => void): void {
    if (this.#metrics.log !== undefined) {
      // Two adapters would receive each other's cached responses.
      throw invalidOption('cache', 'a cache of its own: this one belongs to another registration')
    }
    this.#metrics.log = log
    this.#onInvalid = onInvalid
    this.#options.store?.open({
      log,
      apply: invalidation => this.#apply(invalidation),
      clear: () => this.#apply({ forget: {} }),
      isInvalid: (invalidation, entry) => this.#rules.compile(invalidation)(entry)
    })
  }

  fetch (question: Question): CachedResponse | Promise<CachedResponse> {
    const key = this.#keyOf(question)
    if (key === undefined) return this.#callAlone(question)

    const now = elapsed()
    const entry = this.#entries.get(key.text)
    const isRefused = entry !== undefined && question.refresh && now - entry.createdAt > refreshable
    if (entry !== undefined && !isRefused && now < entry.freshUntil) return this.#send(entry, now, 'hit')

    const request = this.#requests.joinable(key.text)
    if (entry !== undefined) {
      const isResting = now < entry.retryFrom
      if (!isRefused && now < entry.staleUntil) {
        if (request === undefined && !isResting) this.#start(key, question, now, true)
        return this.#send(entry, now, 'stale')
      }
      if (request === undefined && isResting && now < entry.staleIfErrorUntil) return this.#send(entry, now, 'stale')
    }
    this.#metrics.note(request === undefined ? 'miss' : 'shared', key.operation)
    request?.waiting.push(question)
    return this.#answer(question, request ?? this.#start(key, question, now, false))
  }

  change (changes: readonly Change[]): void | Promise<void> {
    const owners = this.#rules.ownersOf(changes)
    if (changes.length > mostChanges) {
      // Replicas store each published change, and compare it with each response.
      const forget = owners.includes(undefined) ? {} : { account: changes[0]!.account }
      return this.#invalidate({ forget }, owners)
    }
    const { affects } = this.#options
    // Arguments are used only by `affects`, and may be long.
    return this.#invalidate({ changes: changes.map(change => affects ? change : { ...change, args: [] }) }, owners)
  }

  /**
   * Invalidates the responses that match all given properties, here and on all replicas. `{}` clears the cache.
   *
   * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the property
   */
  async invalidate (what: InvalidationFilter): Promise<void> {
    validateFilter(what)
    await this.#invalidate({ forget: what }, [what.account])
  }

  /** Returns counters since the start, and the current size of the memory cache. */
  stats (): CacheStats {
    const { hit: hits, miss: misses, stale, shared, error: errors } = this.#metrics.counts
    return { ...this.#entries.size, hits, misses, stale, shared, errors }
  }

  /** Clears the memory and closes the store. The plugin calls it on close. */
  async close (): Promise<void> {
    this.#apply({ forget: {} })
    await this.#options.store?.close()
  }

  /** Returns the key of a question; `undefined` if its response is neither cached nor shared. */
  #keyOf ({ operation: { row }, args, context }: Question): CacheKey | undefined {
    const operation = row.adapterMethod as ReadMethod
    const { account, revision, varyBy } = context
    const policy = this.#options.policies[operation] as CacheKey['policy']
    if (policy.scope === 'none') return undefined
    if (policy.scope === 'account' && account === undefined) {
      this.#metrics.warnOnce({ hint: 'Return the property account from resolveContext' }, 'context without account')
      return undefined
    }
    return policy.scope === 'public'
      ? cacheKeyOf(operation, args, { varyBy }, policy)
      : cacheKeyOf(operation, args, { account, revision, varyBy }, policy)
  }

  /** Calls the adapter for one caller only. */
  async #callAlone (question: Question): Promise<CachedResponse> {
    const data = await withinTime(question.caller, () => question.callAdapter())
    return sentOnce(question.answerOf(data), question.operation.lacksList(data), 'fwd=bypass')
  }

  /** Starts a call of the adapter that identical requests join until it ends. */
  #start (key: CacheKey, question: Question, now: number, isBackground: boolean): InFlightRequest {
    const request = new InFlightRequest(key, question, now, isBackground)
    this.#requests.add(request)
    request.result = withinTime(question.caller, () => this.#miss(request))
      .catch(error => this.#writer.recover(request, error))
      .finally(() => this.#end(request))
    // No request waits for it, so its error must be handled here.
    if (isBackground) request.result.catch(() => {})
    return request
  }

  /**
   * Returns the entry of another replica, or calls the adapter and caches its response, here and for the other
   * replicas.
   */
  async #miss (request: InFlightRequest): Promise<Result> {
    const { question, key: { policy: { ttl } } } = request
    const { store } = this.#options
    let call: CallForAll | undefined
    // Responses that are never cached need no request to the store.
    if (store !== undefined && (typeof ttl === 'function' || ttl > 0)) {
      for await (const { entry, begin } of store.looks(request)) {
        const accepted = entry && this.#writer.accept(request, entry)
        if (accepted !== undefined) return accepted
        call = begin?.()
      }
    }
    let result: Result | undefined
    try {
      result = this.#writer.write(request, await question.callAdapter())
    } catch (error) {
      result = this.#writer.writeNotFound(request, error)
      if (result === undefined) {
        await call?.fail(error, request.shareable(error))
        throw error
      }
    }
    await call?.set(result)
    return result
  }

  #end (request: InFlightRequest): void {
    const { key, question } = request
    this.#requests.remove(request)
    const isNext = request.isStale && this.#requests.joinable(key.text) === undefined
    if (isNext) this.#start(key, question, elapsed(), true)
  }

  /** Returns the result of a call for one of the waiting requests. */
  async #answer (question: Question, request: InFlightRequest): Promise<CachedResponse> {
    const isStarter = question === request.question
    const { account } = question.context
    // Personal data of one account must not reach another account, even with the scope `public`. Two callers without an
    // account may be different.
    const isSameCaller = isStarter || (account !== undefined && account === request.question.context.account)
    let result
    try {
      result = await request.result
    } catch (error) {
      if (classifyError(error).isPersonal && !isSameCaller) return this.#callAlone(question)
      throw isStarter ? error : request.shareable(error)
    }
    if ('body' in result && result.isPersonal && !isSameCaller) return this.#callAlone(question)
    return answerOfResult(result, elapsed(), isStarter ? 'fwd=miss' : 'fwd=miss; collapsed')
  }

  /** Invalidates entries, here and on all replicas. */
  #invalidate (invalidation: Invalidation, owners: readonly (string | undefined)[]): void | Promise<void> {
    this.#apply(invalidation)
    // Applied again after the publication: until then the store may have returned invalid entries.
    return this.#options.store?.publish(invalidation, owners).then(() => this.#apply(invalidation))
  }

  #apply (invalidation: Invalidation): void {
    this.#entries.removeWhere(this.#rules.compile(invalidation))
    this.#requests.apply(invalidation, this.#rules)
    this.#onInvalid?.(invalidation)
  }

  #send (entry: CacheEntry, now: number, type: 'hit' | 'stale'): CachedResponse {
    this.#metrics.note(type, entry.operation)
    return answerOf(entry, now)
  }
}

/**
 * Creates a cache for the responses of the source, separate for each account, for the option `cache` of one
 * registration.
 *
 * Concurrent identical requests share one adapter call. A mutation invalidates the affected entries before its response
 * is sent.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export const createSourceCache = (options: SourceCacheOptions = {}): SourceCache => new SourceCache(options)
