import { elapsed } from '../async/elapsed.ts'
import { withinTime } from '../async/timed-call.ts'
import type { ReadMethod } from '../contract/operations.ts'
import { invalidOption } from '../errors/author-errors.ts'
import type { AnswerCache, CachedAnswer, Change, Forget, Invalidation, Log, Question } from '../source/index.ts'
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
  validateCacheOptions, validateForget, type ValidCacheOptions, type SourceCacheOptions
} from './source-cache-options.ts'

/** Changes of one call that are told one by one; more of them make all that the account has invalid. */
const mostChanges = 500

/** A cache of answers for one registration of the plugin. */
export class SourceCache implements AnswerCache {
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
      // Two adapters would answer each other's questions.
      throw invalidOption('cache', 'a cache of its own: this one belongs to another registration')
    }
    this.#metrics.log = log
    this.#onInvalid = onInvalid
    this.#options.store?.open({
      warn: message => log.warn(message),
      apply: invalidation => this.#apply(invalidation),
      clear: () => this.#apply({ forget: {} }),
      isInvalid: (invalidation, entry) => this.#rules.compile(invalidation)(entry)
    })
  }

  fetch (question: Question): CachedAnswer | Promise<CachedAnswer> {
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
      // Replicas keep what they were told, and look through it for each answer.
      const forget = owners.includes(undefined) ? {} : { account: changes[0]!.account }
      return this.#invalidate({ forget }, owners)
    }
    const { affects } = this.#options
    // Nobody else looks at the arguments, and they may be long.
    return this.#invalidate({ changes: changes.map(change => affects ? change : { ...change, args: [] }) }, owners)
  }

  /**
   * Forgets answers, here and on all replicas: those that match all given members. `{}` forgets everything.
   *
   * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the member
   */
  async forget (what: Forget): Promise<void> {
    validateForget(what)
    await this.#invalidate({ forget: what }, [what.account])
  }

  /** What happened since the start, and what is kept in memory now. */
  stats (): CacheStats {
    const { hit: hits, miss: misses, stale, shared, error: errors } = this.#metrics.counts
    return { ...this.#entries.size, hits, misses, stale, shared, errors }
  }

  /** Lets go of memory and store. The plugin calls it on close. */
  async close (): Promise<void> {
    this.#apply({ forget: {} })
    await this.#options.store?.close()
  }

  /** `undefined` for what is neither kept nor shared. */
  #keyOf ({ operation: { row }, args, context }: Question): CacheKey | undefined {
    const operation = row.adapterMethod as ReadMethod
    const { account, revision, variant } = context
    const policy = this.#options.policies[operation] as CacheKey['policy']
    if (policy.scope === 'none') return undefined
    if (policy.scope === 'account' && account === undefined) {
      this.#metrics.warnOnce('account',
        'The context has no account, so nothing of it is kept: let resolveContext give the member account')
      return undefined
    }
    return policy.scope === 'public'
      ? cacheKeyOf(operation, args, { variant }, policy)
      : cacheKeyOf(operation, args, { account, revision, variant }, policy)
  }

  /** Calls the adapter for one caller only. */
  async #callAlone (question: Question): Promise<CachedAnswer> {
    const data = await withinTime(question.caller, () => question.callAdapter())
    return sentOnce(question.answerOf(data), question.operation.lacksList(data), 'fwd=bypass')
  }

  /** Calls the adapter for all who ask the same until it has answered. */
  #start (key: CacheKey, question: Question, now: number, isBackground: boolean): InFlightRequest {
    const request = new InFlightRequest(key, question, now, isBackground)
    this.#requests.add(request)
    request.result = withinTime(question.caller, () => this.#miss(request))
      .catch(error => this.#writer.recover(request, error))
      .finally(() => this.#end(request))
    // Nobody waits for it.
    if (isBackground) request.result.catch(() => {})
    return request
  }

  /** What another replica has, or what the adapter answers, which is cached: here, and for the other replicas. */
  async #miss (request: InFlightRequest): Promise<Result> {
    const { question, key: { policy: { ttl } } } = request
    const { store } = this.#options
    let call: CallForAll | undefined
    // What is kept nowhere is not worth a question to the store.
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

  /** The result of a call for one of those who wait for it. */
  async #answer (question: Question, request: InFlightRequest): Promise<CachedAnswer> {
    const isStarter = question === request.question
    const { account } = question.context
    // What is one account's is not for another, whatever the policy promised. Two without an account may be two.
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

  /** Invalidates, here and on all replicas. */
  #invalidate (invalidation: Invalidation, owners: readonly (string | undefined)[]): void | Promise<void> {
    this.#apply(invalidation)
    // Again when all know: until then the store may have given what is invalid.
    return this.#options.store?.publish(invalidation, owners).then(() => this.#apply(invalidation))
  }

  #apply (invalidation: Invalidation): void {
    this.#entries.removeWhere(this.#rules.compile(invalidation))
    this.#requests.apply(invalidation, this.#rules)
    this.#onInvalid?.(invalidation)
  }

  #send (entry: CacheEntry, now: number, type: 'hit' | 'stale'): CachedAnswer {
    this.#metrics.note(type, entry.operation)
    return answerOf(entry, now)
  }
}

/**
 * Makes a cache that keeps what the source answered, for each account, for the option `cache` of one registration.
 *
 * Equal questions at the same time are one call of the adapter. A mutation invalidates what it changed before it is
 * answered.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export const createSourceCache = (options: SourceCacheOptions = {}): SourceCache => new SourceCache(options)
