import type { AnswerCache, Inquiry, Question } from '../contract/answer-cache.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { elapsed } from '../async/elapsed.ts'
import type { ReadMethod } from '../contract/operations.ts'
import { cachedAnswer } from './cached-answer.ts'
import { changeOf, type Forget, type News } from './changes.ts'
import { askAlone, Flights } from './flights.ts'
import { Judge } from './judge.ts'
import { KeptAnswers, type KeptAnswer } from './kept-answers.ts'
import { refreshable } from './landings.ts'
import type { CachePolicy } from './policies.ts'
import { Reports } from './reports.ts'
import type { Place } from './shared-store.ts'
import {
  checkCacheOptions, checkForget, type CheckedCacheOptions, type SourceCacheOptions
} from './source-cache-options.ts'

export interface CacheStats {
  readonly entries: number
  readonly bytes: number
  readonly hits: number
  readonly misses: number
  readonly stale: number
  /** Questions that waited for the call of another one. */
  readonly shared: number
  /** Calls that failed with 429, 500 or above. */
  readonly errors: number
}

/** A cache of answers for one registration of the plugin. */
export class SourceCache implements AnswerCache {
  readonly #options: CheckedCacheOptions
  readonly #kept: KeptAnswers
  readonly #reports: Reports
  readonly #judge: Judge
  readonly #flights: Flights

  constructor (options: SourceCacheOptions) {
    const { maxSize, maxAge, store, affects, onEvent } = this.#options = checkCacheOptions(options)
    this.#kept = new KeptAnswers(maxSize)
    this.#reports = new Reports(onEvent)
    this.#judge = new Judge(affects, this.#reports)
    this.#flights = new Flights({ kept: this.#kept, judge: this.#judge, reports: this.#reports, maxAge }, store)
  }

  attach (log: { warn: (message: string) => void }): void {
    if (this.#reports.log !== undefined) {
      // Two adapters would answer each other's questions.
      throw invalidOption('cache', 'a cache of its own: this one belongs to another registration')
    }
    this.#reports.log = log
    this.#options.store?.open({
      warn: message => log.warn(message),
      learn: news => this.#forget(news),
      forgetAll: () => this.#forget({ forget: {} }),
      isOld: (news, answer) => this.#judge.isOld(news, answer)
    })
  }

  answer (inquiry: Inquiry): void {
    const { question, refresh } = inquiry
    const place = this.#placeOf(question)
    if (place === undefined) return askAlone(inquiry)

    const now = elapsed()
    const kept = this.#kept.get(place.key)
    const isRefused = kept !== undefined && refresh && now - kept.born > refreshable
    if (kept !== undefined && !isRefused && now < kept.freshUntil) return this.#send(inquiry, kept, now, 'hit')

    const flight = this.#flights.get(place.key)
    if (kept !== undefined) {
      const isResting = now < kept.retryFrom
      if (!isRefused && now < kept.staleUntil) {
        if (flight === undefined && !isResting) this.#flights.start(place, inquiry, now, true)
        return this.#send(inquiry, kept, now, 'stale')
      }
      if (flight === undefined && isResting && now < kept.staleIfErrorUntil) {
        return this.#send(inquiry, kept, now, 'stale')
      }
    }
    this.#reports.note(flight === undefined ? 'miss' : 'shared', place.operation)
    if (flight === undefined) this.#flights.start(place, inquiry, now)
    else flight.waiting.push(inquiry)
  }

  change (mutation: Question, data: unknown): void | Promise<void> {
    const { args, ...rest } = changeOf(mutation, data)
    // Nobody else looks at them, and they may be long.
    const change = { ...rest, args: this.#options.affects === undefined ? [] : args }
    return this.#tell({ change }, this.#judge.ownersOf(change))
  }

  /**
   * Forgets answers, here and on all replicas: those that match all given members. `{}` forgets everything.
   *
   * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the member
   */
  async forget (what: Forget): Promise<void> {
    checkForget(what)
    await this.#tell({ forget: what }, [what.account])
  }

  /** What happened since the start, and what is kept in memory now. */
  stats (): CacheStats {
    const { hit: hits, miss: misses, stale, shared, error: errors } = this.#reports.counts
    return { ...this.#kept.size, hits, misses, stale, shared, errors }
  }

  /** Lets go of memory and store. The plugin calls it on close. */
  async close (): Promise<void> {
    this.#forget({ forget: {} })
    await this.#options.store?.close()
  }

  /** `undefined` for what is neither kept nor shared. */
  #placeOf ({ operation: name, args, account, variant }: Question): Place | undefined {
    const operation = name as ReadMethod
    const policy = this.#options.policies[operation] as CachePolicy
    if (policy.scope === 'none') return undefined
    if (policy.scope === 'account' && account === undefined) {
      this.#reports.warnOnce('account',
        'The context has no account, so nothing of it is kept: let resolveContext give the member account')
      return undefined
    }
    const owner = policy.scope === 'public' ? undefined : account
    let count = args.length
    while (count > 0 && args[count - 1] === undefined) count--
    let key = operation + partOf(owner)
    if (variant !== undefined) key += `@${variant.length}:${variant}`
    for (let index = 0; index < count; index++) key += partOf(args[index])
    return { key, operation, args, account: owner, policy }
  }

  /** Forgets, here and on all replicas. */
  #tell (news: News, owners: readonly (string | undefined)[]): void | Promise<void> {
    this.#forget(news)
    // Again when all know: until then the store may have given what is old.
    return this.#options.store?.tell(news, owners).then(() => this.#forget(news))
  }

  #forget (news: News): void {
    this.#kept.forget(answer => this.#judge.isOld(news, answer))
    this.#flights.learn(news)
  }

  #send (inquiry: Inquiry, kept: KeptAnswer, now: number, type: 'hit' | 'stale'): void {
    this.#reports.note(type, kept.operation)
    try {
      inquiry.send(cachedAnswer(kept, now))
    } catch (error) {
      inquiry.fail(error)
    }
  }
}

/** A part of a key. The length keeps apart what a separator would not, since ids hold anything. */
function partOf (value: unknown): string {
  if (value === undefined) return ' '
  return typeof value === 'string' ? ` ${value.length}:${value}` : ` ${value}`
}

/**
 * Makes a cache that keeps what the source answered, for each account, for the option `cache` of one registration.
 *
 * Equal questions at the same time are one call of the adapter. A mutation forgets what it changed before it is
 * answered.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export const createSourceCache = (options: SourceCacheOptions = {}): SourceCache => new SourceCache(options)
