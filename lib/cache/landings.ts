import type { Inquiry } from '../contract/answer-cache.ts'
import { elapsed } from '../async/elapsed.ts'
import type { News } from './changes.ts'
import type { Judge } from './judge.ts'
import { etagOf, keptArgs, keptBody, type KeptAnswer, type KeptAnswers } from './kept-answers.ts'
import { lifetimeOf, type Lifetime } from './lifetime-of.ts'
import { readFailure } from './read-failure.ts'
import type { Reports } from './reports.ts'
import type { Landing, Place, SharedFlight } from './shared-store.ts'

/** A call of the adapter for all who ask the same. It belongs to no request. */
export interface Flight extends SharedFlight {
  /** Its place in the list of all flights. When it is over, another flight may take that place. */
  readonly index: number
  readonly born: number
  /** The request that started it. */
  readonly startedBy: Inquiry
  /** Those whom it answers. */
  readonly waiting: Inquiry[]
  /** Why its answer may be old when it lands. */
  readonly news: News[]
  /** Whether nobody waits for it. */
  readonly isBehind: boolean
  /** Whether it landed with an answer that has to be fetched anew. */
  isStale: boolean
  isOver: boolean
  isBeforeChange: boolean
}

/** What the parts of one cache share. */
export interface CacheParts {
  readonly kept: KeptAnswers
  readonly judge: Judge
  readonly reports: Reports
  /** Seconds. */
  readonly maxAge: number
}

/** Seconds until a failed refresh is tried again, where the source does not say. */
const retryAfter = 5
/** Milliseconds from which an entry counts as old for a client that asks for `no-cache`. */
export const refreshable = 5000

/** The search without the first quote is much faster, since answers are full of quotes, and rules most of them out. */
const hasFavorite = (body: string) => body.includes('favorite":') && body.includes('"favorite":')

/** Decides what becomes of the outcome of a call: whether it is kept, and what those who wait get. */
export class Landings {
  readonly #parts: CacheParts

  constructor (parts: CacheParts) {
    this.#parts = parts
  }

  /** Keeps an answer of the adapter, unless something speaks against it. */
  land (flight: Flight, data: unknown, body: string): Landing {
    const { operation, account } = flight.place
    const isPersonal = account === undefined && hasFavorite(body)
    if (isPersonal) {
      this.#parts.reports.warnOnce(`favorite ${operation}`,
        `Answers of ${operation} have the member favorite, so they are ` +
        'not public and are not kept: give the operation the scope account')
    }
    const lifetime = isPersonal ? undefined : this.#lifetimeOf(flight.place, data, body)
    if (lifetime === undefined) {
      this.#forgetOlder(flight)
      return { body, isPersonal }
    }
    if (this.#isOutdated(flight, body)) return { body, isPersonal }
    const own = keptBody(body)
    const landing = this.#keep(flight.place, lifetime, own, etagOf(own), undefined)
    return landing ?? { body, isPersonal }
  }

  /** Keeps a 404 of the adapter. `undefined` for another error, and if it is not kept. */
  landNotFound (flight: Flight, error: unknown): Landing | undefined {
    const { place } = flight
    if (readFailure(error).status !== 404) return undefined
    const { notFound } = readFailure(flight.startedBy.shareable(error))
    const ttl = Math.min(place.policy.notFoundTtl, this.#parts.maxAge) * 1000
    if (ttl <= 0 || this.#isOutdated(flight, '')) return undefined
    const lifetime = { fresh: ttl, stale: ttl, staleIfError: ttl }
    return this.#keep(place, lifetime, '', '', notFound)
  }

  /** Keeps the answer of another replica, and says whether it is one to this flight. */
  accept (flight: Flight, stored: KeptAnswer): Landing | undefined {
    // That replica may have had another limit.
    const end = stored.born + this.#parts.maxAge * 1000
    const { freshUntil, staleUntil, staleIfErrorUntil } = stored
    const answer = {
      ...stored,
      freshUntil: Math.min(freshUntil, end),
      staleUntil: Math.min(staleUntil, end),
      staleIfErrorUntil: Math.min(staleIfErrorUntil, end)
    }
    if (this.#isOutdated(flight, answer.body)) return undefined
    const { kept } = this.#parts
    const { key } = flight.place
    if ((kept.get(key)?.born ?? -Infinity) < answer.born) kept.set(key, answer)
    const now = elapsed()
    const isRefused = flight.waiting.some(({ refresh }) => refresh) && now - answer.born > refreshable
    if (isRefused) return undefined
    if (now < answer.freshUntil) return { kept: answer }
    flight.isStale = !flight.isBehind && now < answer.staleUntil
    return flight.isStale ? { kept: answer } : undefined
  }

  /** A kept answer in place of the failure, if there is one that is not too old. */
  fail (flight: Flight, error: unknown): Landing | undefined {
    const { key, operation, account } = flight.place
    const { isOutage, isPersonal, retryAfter: seconds = retryAfter } = readFailure(error)
    const kept = this.#parts.kept.get(key)
    const now = elapsed()
    if (!isOutage) {
      // An answer that is not masked: what was kept is no longer so. But a public one is not judged by one account.
      if (!(isPersonal && account === undefined)) this.#forgetOlder(flight)
      return undefined
    }
    this.#parts.reports.note('error', operation)
    if (kept !== undefined) kept.retryFrom = now + seconds * 1000
    const isMasked = kept !== undefined && kept.error === undefined && now < kept.staleIfErrorUntil
    if (isMasked || flight.isBehind) flight.startedBy.report(error)
    return isMasked ? { kept } : undefined
  }

  /** Forgets what was kept before the flight began: it is known now that the source answers something else. */
  #forgetOlder ({ place: { key }, born }: Flight): void {
    const kept = this.#parts.kept.get(key)
    if (kept !== undefined && kept.born <= born) this.#parts.kept.delete(key)
  }

  #keep (
    place: Place, lifetime: Lifetime, body: string | Buffer, etag: string, error: Error | undefined
  ): Landing | undefined {
    const { key, operation, args, account } = place
    const born = elapsed()
    const kept: KeptAnswer = {
      operation,
      args: keptArgs(args),
      account,
      body,
      etag,
      error,
      born,
      freshUntil: born + lifetime.fresh,
      staleUntil: born + lifetime.stale,
      staleIfErrorUntil: born + lifetime.staleIfError,
      retryFrom: 0
    }
    return this.#parts.kept.set(key, kept) ? { kept } : undefined
  }

  #lifetimeOf (place: Place, data: unknown, body: string): Lifetime | undefined {
    try {
      return lifetimeOf(place, data, body, this.#parts.maxAge)
    } catch (error) {
      const { operation } = place
      this.#parts.reports.warnOnce(`ttl ${operation}`,
        `The ttl of ${operation} threw, so its answer is not kept: ${(error as Error)?.message}`)
      return undefined
    }
  }

  /**
   * Whether something changed since the flight began, or a later one has landed already. A flight that is over learns
   * no news, so its answer may be old.
   */
  #isOutdated ({ place, born, news, isOver }: Flight, body: Buffer | string): boolean {
    const { key, operation, args, account } = place
    const { judge, kept } = this.#parts
    return isOver || (kept.get(key)?.born ?? 0) > born ||
      news.some(one => judge.isOld(one, { operation, args, account, body }))
  }
}
