import { elapsed } from '../async/elapsed.ts'
import { loggable } from '../errors/loggable.ts'
import type { CacheKey, Result } from './cache-store.ts'
import { classifyError } from './classify-error.ts'
import { ownArgs, ownBody, type CacheEntries, type CacheEntry } from './entries.ts'
import { etagOf } from './etag-of.ts'
import { idsIn } from './ids-in.ts'
import type { InFlightRequest } from './in-flight-request.ts'
import type { InvalidationRules } from './invalidation-rules.ts'
import { lifetimeOf, type Lifetime } from './lifetime-of.ts'
import type { CacheMetrics } from './metrics.ts'

/** Seconds until a failed refresh is tried again, where the source does not say. */
const retryAfter = 5
/** Milliseconds from which an entry counts as old for a client that asks for `no-cache`. */
export const refreshable = 5000

/** The search without the first quote is much faster, since answers are full of quotes, and rules most of them out. */
const hasFavorite = (body: string) => body.includes('favorite":') && body.includes('"favorite":')

/** What the parts of one cache share. */
export interface CacheParts {
  readonly entries: CacheEntries
  readonly rules: InvalidationRules
  readonly metrics: CacheMetrics
  /** Seconds. */
  readonly maxAge: number
}

/** Decides whether the result of a call is cached, and what those who wait for it get. */
export class ResultWriter {
  readonly #parts: CacheParts

  constructor (parts: CacheParts) {
    this.#parts = parts
  }

  /** Caches an answer of the adapter, unless its policy or its data forbids that. */
  write (request: InFlightRequest, data: unknown): Result {
    const { key, question } = request
    const answer = question.answerOf(data)
    const isPartial = answer.missing!.length > 0
    const whole = isPartial ? this.#entryInstead(request, retryAfter) : undefined
    if (whole !== undefined) return { entry: whole }
    if (answer.data !== undefined) {
      this.#removeOlder(request)
      return Object.assign(answer, { isPersonal: key.account === undefined, lacksList: false })
    }
    const { body, extras } = answer
    const isPersonal = key.account === undefined && hasFavorite(body)
    if (isPersonal) {
      this.#parts.metrics.warnOnce(`favorite ${key.operation}`,
        `Answers of ${key.operation} have the member favorite, so they are ` +
        'not public and are not kept: give the operation the scope account')
    }
    const lacksList = question.operation.lacksList(data)
    const sent = { body, extras, isPersonal, lacksList, missing: answer.missing }
    // An empty list that stands for a broken answer must not last, nor what the next one may have again.
    const isLasting = !isPersonal && !lacksList && !isPartial
    const lifetime = !isLasting ? undefined : this.#lifetimeOf(key, data, body)
    if (lifetime === undefined) {
      this.#removeOlder(request)
      return sent
    }
    if (this.#isOutdated(request, body)) return sent
    const own = ownBody(body)
    return this.#add(key, lifetime, { body: own, extras, etag: etagOf(own), error: undefined }) ?? sent
  }

  /** Caches a 404 of the adapter. @returns `undefined` for another error, and if it is not cached */
  writeNotFound (request: InFlightRequest, error: unknown): Result | undefined {
    const { key } = request
    if (classifyError(error).status !== 404) return undefined
    const { notFound } = classifyError(request.shareable(error))
    const ttl = Math.min(key.policy.notFoundTtl, this.#parts.maxAge) * 1000
    if (ttl <= 0 || this.#isOutdated(request, '')) return undefined
    const lifetime = { fresh: ttl, stale: ttl, staleIfError: ttl }
    return this.#add(key, lifetime, { body: '', extras: undefined, etag: '', error: notFound })
  }

  /** Caches the entry of another replica. @returns the result, if the entry answers this request */
  accept (request: InFlightRequest, stored: CacheEntry): Result | undefined {
    // That replica may have had another limit.
    const end = stored.createdAt + this.#parts.maxAge * 1000
    const { freshUntil, staleUntil, staleIfErrorUntil } = stored
    const entry = {
      ...stored,
      freshUntil: Math.min(freshUntil, end),
      staleUntil: Math.min(staleUntil, end),
      staleIfErrorUntil: Math.min(staleIfErrorUntil, end)
    }
    if (this.#isOutdated(request, entry.body)) return undefined
    const { entries } = this.#parts
    const { text } = request.key
    if ((entries.get(text)?.createdAt ?? -Infinity) < entry.createdAt) entries.set(text, entry)
    const now = elapsed()
    const isRefused = request.waiting.some(({ refresh }) => refresh) && now - entry.createdAt > refreshable
    if (isRefused) return undefined
    if (now < entry.freshUntil) return { entry }
    request.isStale = !request.isBackground && now < entry.staleUntil
    return request.isStale ? { entry } : undefined
  }

  /**
   * A cache entry in place of a failure.
   *
   * @throws the failure, if there is none that is not too old
   */
  recover (request: InFlightRequest, error: unknown): Result {
    const { key: { operation, account }, isBackground, question: { caller } } = request
    const { isOutage, isPersonal, retryAfter: seconds = retryAfter } = classifyError(error)
    if (!isOutage) {
      // The source has answered, so the entry is outdated. One account's 401 or 403 says nothing of a public entry.
      if (!(isPersonal && account === undefined)) this.#removeOlder(request)
      throw error
    }
    this.#parts.metrics.note('error', operation)
    const entry = this.#entryInstead(request, seconds)
    if (entry !== undefined || isBackground) {
      caller.log.error({ err: loggable(error, caller.secrets) }, 'Answered with a cache entry, since the source failed')
    }
    if (entry === undefined) throw error
    return { entry }
  }

  /** An entry that is not too old to be sent while the source does not answer, which is tried again after a while. */
  #entryInstead ({ key: { text } }: InFlightRequest, seconds: number): CacheEntry | undefined {
    const entry = this.#parts.entries.get(text)
    const now = elapsed()
    if (entry === undefined) return undefined
    entry.retryFrom = now + seconds * 1000
    return entry.error === undefined && now < entry.staleIfErrorUntil ? entry : undefined
  }

  /** Removes an entry from before the request began, since the source now answers something else. */
  #removeOlder ({ key: { text }, createdAt }: InFlightRequest): void {
    const entry = this.#parts.entries.get(text)
    if (entry !== undefined && entry.createdAt <= createdAt) this.#parts.entries.delete(text)
  }

  #add (
    key: CacheKey, lifetime: Lifetime, kept: Pick<CacheEntry, 'body' | 'extras' | 'etag' | 'error'>
  ): Result | undefined {
    const { text, operation, args, account } = key
    const createdAt = elapsed()
    const entry: CacheEntry = {
      operation,
      args: ownArgs(args),
      account,
      ...kept,
      ids: idsIn(args, kept.body),
      createdAt,
      freshUntil: createdAt + lifetime.fresh,
      staleUntil: createdAt + lifetime.stale,
      staleIfErrorUntil: createdAt + lifetime.staleIfError,
      retryFrom: 0
    }
    return this.#parts.entries.set(text, entry) ? { entry } : undefined
  }

  #lifetimeOf (key: CacheKey, data: unknown, body: string): Lifetime | undefined {
    try {
      return lifetimeOf(key, data, body, this.#parts.maxAge)
    } catch (error) {
      const { operation } = key
      this.#parts.metrics.warnOnce(`ttl ${operation}`,
        `The ttl of ${operation} threw, so its answer is not kept: ${(error as Error)?.message}`)
      return undefined
    }
  }

  /**
   * Whether something changed since the request began, or a later one has ended already. To one that is over no
   * invalidation is applied, so its answer may be outdated.
   */
  #isOutdated ({ key, createdAt, invalidations, isOver }: InFlightRequest, body: Buffer | string): boolean {
    const { text, operation, args, account } = key
    const { rules, entries } = this.#parts
    if (isOver || (entries.get(text)?.createdAt ?? 0) > createdAt) return true
    if (invalidations.length === 0) return false
    const ids = idsIn(args, body)
    return invalidations.some(one => rules.compile(one)({ operation, args, account, ids }))
  }
}
