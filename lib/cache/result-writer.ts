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

/** The time in seconds until a failed refresh is tried again, if the source does not specify one. */
const retryAfterSeconds = 5
/** The age in milliseconds from which an entry is too old for a request with `no-cache`. */
export const refreshable = 5000

/**
 * Returns whether a body contains the property `favorite`. The search without the first quote is much faster, because
 * responses are full of quotes, and excludes most bodies.
 */
const hasFavorite = (body: string) => body.includes('favorite":') && body.includes('"favorite":')

/** The shared parts of one cache. */
export interface CacheParts {
  readonly entries: CacheEntries
  readonly rules: InvalidationRules
  readonly metrics: CacheMetrics
  /** The maximum age of a response in milliseconds. */
  readonly maxAge: number
}

/** Decides whether the result of a call is cached, and which result the waiting requests get. */
export class ResultWriter {
  readonly #parts: CacheParts

  constructor (parts: CacheParts) {
    this.#parts = parts
  }

  /** Caches a response of the adapter, unless its policy or its data forbids that. */
  write (request: InFlightRequest, data: unknown): Result {
    const { key, question } = request
    const answer = question.answerOf(data)
    const isPartial = answer.missing!.length > 0
    const whole = isPartial ? this.#entryInstead(request, retryAfterSeconds) : undefined
    if (whole !== undefined) return { entry: whole }
    if (answer.data !== undefined) {
      this.#removeOlder(request)
      return Object.assign(answer, { isPersonal: key.account === undefined, lacksList: false })
    }
    const { body, extras } = answer
    const isPersonal = key.account === undefined && hasFavorite(body)
    if (isPersonal) {
      const { operation } = key
      const hint = 'Set the scope of the operation to account: its responses have the property favorite'
      this.#parts.metrics.warnOnce({ operation, hint }, 'response not public')
    }
    const lacksList = question.operation.lacksList(data)
    const sent = { body, extras, isPersonal, lacksList, missing: answer.missing }
    // Invalid lists and partial responses are not cached, because the next response may be complete.
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
    const ttl = Math.min(key.policy.notFoundTtl, this.#parts.maxAge)
    if (ttl <= 0 || this.#isOutdated(request, '')) return undefined
    const lifetime = { fresh: ttl, stale: ttl, staleIfError: ttl }
    return this.#add(key, lifetime, { body: '', extras: undefined, etag: '', error: notFound })
  }

  /** Caches the entry of another replica. @returns the result, if the entry is a valid response to this request */
  accept (request: InFlightRequest, stored: CacheEntry): Result | undefined {
    // The other replica may have another `maxAge`.
    const end = stored.createdAt + this.#parts.maxAge
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
   * Returns a cache entry instead of a failure.
   *
   * @throws the failure, if no entry is recent enough
   */
  recover (request: InFlightRequest, error: unknown): Result {
    const { key: { operation, account }, isBackground, question: { caller } } = request
    const { isOutage, isPersonal, retryAfterSeconds: seconds = retryAfterSeconds } = classifyError(error)
    if (!isOutage) {
      // The source has responded, so the entry is outdated. A 401 or 403 of one account does not affect a public entry.
      if (!(isPersonal && account === undefined)) this.#removeOlder(request)
      throw error
    }
    this.#parts.metrics.note('error', operation)
    const entry = this.#entryInstead(request, seconds)
    if (entry !== undefined || isBackground) {
      caller.log.error({ err: loggable(error, caller.secrets), operation }, 'stale response sent')
    }
    if (entry === undefined) throw error
    return { entry }
  }

  /** Returns an entry that may be sent while the source fails, and delays the next attempt. */
  #entryInstead ({ key: { text } }: InFlightRequest, seconds: number): CacheEntry | undefined {
    const entry = this.#parts.entries.get(text)
    const now = elapsed()
    if (entry === undefined) return undefined
    entry.retryFrom = now + seconds * 1000
    return entry.error === undefined && now < entry.staleIfErrorUntil ? entry : undefined
  }

  /** Removes an entry from before the request began, because the source now returns other data. */
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
      this.#parts.metrics.warnOnce({ operation, reason: (error as Error)?.message }, 'ttl callback failed')
      return undefined
    }
  }

  /**
   * Returns whether data has changed since the request began, or a later request has already ended. Ended requests
   * receive no invalidations, so their responses may be outdated too.
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
