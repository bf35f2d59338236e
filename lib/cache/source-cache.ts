import type { AnswerCache, CachedAnswer, FreshAnswer, Question, Source } from '../contract/answer-cache.ts'
import { invalidOption } from '../contract/author-errors.ts'
import { operationOf } from '../contract/find-operation.ts'
import type { MutationMethod, ReadMethod } from '../contract/operations.ts'
import { cachedAnswer, sentOnce } from './cached-answer.ts'
import { concerns, effects, isChangedBy, isMeantBy, type Affected, type Change, type Forget, type News } from './changes.ts'
import { bytesOf, etagOf, KeptAnswers, type KeptAnswer } from './kept-answers.ts'
import { lifetimeOf, type Lifetime } from './lifetime-of.ts'
import type { CachePolicy } from './policies.ts'
import { readFailure } from './read-failure.ts'
import type { Landing, Place, SharedFlight } from './shared-store.ts'
import { checkCacheOptions, checkForget, type CacheEvent, type CheckedCacheOptions, type SourceCacheOptions } from './source-cache-options.ts'

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

/** A call of the adapter for all who ask the same. It belongs to no request. */
interface Flight extends SharedFlight {
  readonly born: number
  /** Account of the request that started it. */
  readonly startedBy: string | undefined
  /** Why its answer may be old when it lands. */
  readonly news: News[]
  /** Whether the client does not want a kept answer. */
  readonly refresh: boolean
  /** Whether nobody waits for it. */
  readonly isBehind: boolean
  /** Whether it landed with an answer that has to be fetched anew. */
  isStale: boolean
  isOver: boolean
  landed: Promise<Landing>
}

/** Seconds until a failed refresh is tried again, where the source does not say. */
const retryAfter = 5
/** Milliseconds from which an entry counts as old for a client that asks for `no-cache`. */
const refreshable = 5000

/** A cache of answers for one registration of the plugin. */
export class SourceCache implements AnswerCache {
  readonly #options: CheckedCacheOptions
  readonly #kept: KeptAnswers
  /** Flights that others may join, by key. */
  readonly #joinable = new Map<string, Flight>()
  readonly #flights = new Set<Flight>()
  readonly #warned = new Set<string>()
  readonly #counts = { hit: 0, miss: 0, stale: 0, shared: 0, error: 0 }
  #log: Parameters<AnswerCache['attach']>[0] | undefined

  constructor (options: SourceCacheOptions) {
    this.#options = checkCacheOptions(options)
    this.#kept = new KeptAnswers(this.#options.maxSize)
  }

  attach (log: { warn: (message: string) => void }): void {
    // Two adapters would answer each other's questions.
    if (this.#log !== undefined) throw invalidOption('cache', 'a cache of its own: this one belongs to another registration')
    this.#log = log
    this.#options.store?.open({
      warn: message => log.warn(message),
      learn: news => this.#forget(news),
      forgetAll: () => this.#forget({ forget: {} }),
      isOld: (news, answer) => this.#isOld(news, answer)
    })
  }

  answer (question: Question, source: Source, refresh: boolean): CachedAnswer | Promise<CachedAnswer> {
    const place = this.#placeOf(question)
    if (place === undefined) return source.ask().then(({ body }) => sentOnce(body, 'fwd=bypass'))

    const now = performance.now()
    const kept = this.#kept.get(place.key)
    const flight = this.#joinable.get(place.key)
    if (kept !== undefined) {
      const isRefused = refresh && now - kept.born > refreshable
      if (!isRefused && now < kept.freshUntil) return this.#send(kept, now, 'hit')
      if (!isRefused && now < kept.staleUntil) {
        if (flight === undefined && now >= kept.retryFrom) this.#flyBehind(place, question, source)
        return this.#send(kept, now, 'stale')
      }
      if (flight === undefined && now < kept.retryFrom && now < kept.staleIfErrorUntil) return this.#send(kept, now, 'stale')
    }
    this.#note(flight === undefined ? 'miss' : 'shared', place.operation)
    return this.#wait(flight ?? this.#fly(place, question, source, refresh, false), question, source, flight !== undefined)
  }

  change ({ operation, args, account }: Question, data: unknown): void | Promise<void> {
    const change: Change = { operation: operation as MutationMethod, args, account, id: idOf(operation as MutationMethod, args, data) }
    const isEverywhere = concerns(change, undefined) || this.#options.affects !== undefined
    return this.#tell({ change }, [...account === undefined ? [] : [account], ...isEverywhere ? [undefined] : []])
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
    const { hit: hits, miss: misses, stale, shared, error: errors } = this.#counts
    return { ...this.#kept.size, hits, misses, stale, shared, errors }
  }

  /** Lets go of memory and store. The plugin calls it on close. */
  async close (): Promise<void> {
    this.#forget({ forget: {} })
    await this.#options.store?.close()
  }

  /** `undefined` for what is neither kept nor shared. */
  #placeOf ({ operation: name, args, account, variant = '' }: Question): Place | undefined {
    const operation = name as ReadMethod
    const policy = this.#options.policies[operation] as CachePolicy
    if (policy.scope === 'none') return undefined
    if (policy.scope === 'account' && account === undefined) {
      this.#warnOnce('account', 'The context has no account, so nothing of it is kept: let resolveContext give the member account')
      return undefined
    }
    const owner = policy.scope === 'public' ? undefined : account
    // JSON keeps apart what a separator would not: ids hold anything.
    return { key: JSON.stringify([operation, owner ?? '', variant, ...args]), operation, args, account: owner, policy }
  }

  #flyBehind (place: Place, question: Question, source: Source): void {
    this.#fly(place, question, source, false, true).landed.catch(() => {})
  }

  #fly (place: Place, question: Question, source: Source, refresh: boolean, isBehind: boolean): Flight {
    const { store } = this.#options
    const { ttl } = place.policy
    const flight: Flight = {
      place,
      born: performance.now(),
      startedBy: question.account,
      news: [],
      refresh,
      isBehind,
      isStale: false,
      isOver: false,
      call: () => source.ask().then(fresh => this.#land(flight, fresh), error => this.#landNotFound(flight, error)),
      accept: answer => this.#accept(flight, answer),
      landed: undefined!
    }
    // What is kept nowhere is not worth a question to the store.
    const isStored = store !== undefined && (typeof ttl === 'function' || ttl > 0)
    flight.landed = source.share(() => isStored ? store.fetch(flight) : flight.call())
      .catch(error => this.#fail(flight, error, source))
      .finally(() => {
        flight.isOver = true
        this.#flights.delete(flight)
        if (this.#joinable.get(place.key) === flight) this.#joinable.delete(place.key)
        if (flight.isStale && !this.#joinable.has(place.key)) this.#flyBehind(place, question, source)
      })
    this.#flights.add(flight)
    this.#joinable.set(place.key, flight)
    return flight
  }

  async #wait (flight: Flight, { account }: Question, source: Source, joined: boolean): Promise<CachedAnswer> {
    const isOfOther = account !== flight.startedBy
    const askAlone = async () => sentOnce((await source.ask()).body, 'fwd=bypass')
    let landing
    try {
      landing = await flight.landed
    } catch (error) {
      if (isOfOther && readFailure(error).isPersonal) return askAlone()
      throw error
    }
    const status = joined ? 'fwd=miss; collapsed' : 'fwd=miss'
    if ('kept' in landing) return cachedAnswer(landing.kept, performance.now(), status)
    // What is one account's is not for another, whatever the policy promised.
    return isOfOther && landing.isPersonal ? askAlone() : sentOnce(landing.body, status)
  }

  /** Keeps an answer of the adapter, unless something speaks against it. */
  #land (flight: Flight, fresh: FreshAnswer): Landing {
    const { operation, account } = flight.place
    const { body } = fresh
    const isPersonal = account === undefined && body.includes('"favorite":')
    if (isPersonal) {
      this.#warnOnce(`favorite ${operation}`, `Answers of ${operation} have the member favorite, so they are not public and are not kept: give the operation the scope account`)
      return { body, isPersonal }
    }
    const lifetime = this.#lifetimeOf(flight.place, fresh)
    if (lifetime === undefined || this.#isOutdated(flight, body)) return { body, isPersonal }
    const bytes = bytesOf(body)
    return this.#keep(flight.place, lifetime, { body: bytes, etag: etagOf(bytes), error: undefined }) ?? { body, isPersonal }
  }

  /** Keeps a 404 of the adapter; all else is thrown on. */
  #landNotFound (flight: Flight, error: unknown): Landing {
    const { place } = flight
    const { notFound } = readFailure(error)
    const ttl = Math.min(place.policy.notFoundTtl, this.#options.maxAge) * 1000
    if (notFound === undefined || ttl <= 0 || this.#isOutdated(flight, '')) throw error
    const landing = this.#keep(place, { fresh: ttl, stale: ttl, staleIfError: ttl }, { body: Buffer.alloc(0), etag: '', error: notFound })
    if (landing === undefined) throw error
    return landing
  }

  #keep ({ key, operation, args, account }: Place, { fresh, stale, staleIfError }: Lifetime, what: Pick<KeptAnswer, 'body' | 'etag' | 'error'>): Landing | undefined {
    const born = performance.now()
    const times = { born, freshUntil: born + fresh, staleUntil: born + stale, staleIfErrorUntil: born + staleIfError, retryFrom: 0 }
    const kept: KeptAnswer = { operation, args, account, ...what, ...times }
    return this.#kept.set(key, kept) ? { kept } : undefined
  }

  /** Keeps the answer of another replica, and says whether it is one to this flight. */
  #accept (flight: Flight, answer: KeptAnswer): Landing | undefined {
    if (this.#isOutdated(flight, answer.body)) return undefined
    const { key } = flight.place
    if ((this.#kept.get(key)?.born ?? -Infinity) < answer.born) this.#kept.set(key, answer)
    const now = performance.now()
    if (flight.refresh && now - answer.born > refreshable) return undefined
    if (now < answer.freshUntil) return { kept: answer }
    flight.isStale = !flight.isBehind && now < answer.staleUntil
    return flight.isStale ? { kept: answer } : undefined
  }

  /** A kept answer in place of the failure, if there is one that is not too old. */
  #fail (flight: Flight, error: unknown, source: Source): Landing {
    const { place: { key, operation, account }, born } = flight
    const { isOutage, isPersonal, retryAfter: seconds = retryAfter } = readFailure(error)
    const kept = this.#kept.get(key)
    const now = performance.now()
    if (!isOutage) {
      // An answer that is not masked: what was kept is no longer so. But a public one is not judged by one account.
      if (kept !== undefined && kept.born <= born && !(isPersonal && account === undefined)) this.#kept.delete(key)
      throw error
    }
    this.#note('error', operation)
    if (kept !== undefined) kept.retryFrom = now + seconds * 1000
    const isMasked = kept !== undefined && kept.error === undefined && now < kept.staleIfErrorUntil
    if (isMasked || flight.isBehind) source.report(error)
    if (isMasked) return { kept }
    throw error
  }

  #lifetimeOf (place: Place, fresh: FreshAnswer): Lifetime | undefined {
    try {
      return lifetimeOf(place, fresh, this.#options.maxAge)
    } catch (error) {
      this.#warnOnce(`ttl ${place.operation}`, `The ttl of ${place.operation} threw, so its answer is not kept: ${(error as Error)?.message}`)
      return undefined
    }
  }

  /** Whether something changed since the flight began, or a later one has landed already. */
  #isOutdated ({ place: { key, operation, args, account }, born, news }: Flight, body: Buffer | string): boolean {
    return news.some(one => this.#isOld(one, { operation, args, account, body })) || (this.#kept.get(key)?.born ?? 0) > born
  }

  /** Forgets, here and on all replicas. */
  #tell (news: News, owners: readonly (string | undefined)[]): void | Promise<void> {
    this.#forget(news)
    // Again when all know: until then the store may have given what is old.
    return this.#options.store?.tell(news, owners).then(() => this.#forget(news))
  }

  #forget (news: News): void {
    this.#kept.forget(answer => this.#isOld(news, answer))
    for (const flight of this.#flights) {
      flight.news.push(news)
      // Who asks from now on must see the change, so nobody joins what began before.
      if (this.#mayConcern(news, flight.place)) this.#joinable.delete(flight.place.key)
    }
  }

  #mayConcern (news: News, { operation, args, account }: Place): boolean {
    if ('change' in news) return concerns(news.change, account) || this.#isAffected(news.change, { operation, args, account })
    return isMeantBy({ ...news.forget, id: undefined }, { operation, args, account, body: '' })
  }

  #isOld (news: News, answer: Affected): boolean {
    return 'change' in news ? isChangedBy(news.change, answer) || this.#isAffected(news.change, answer) : isMeantBy(news.forget, answer)
  }

  #isAffected (change: Change, answer: Omit<Affected, 'body'>): boolean {
    const { affects } = this.#options
    if (affects === undefined || (answer.account !== undefined && answer.account !== change.account)) return false
    try {
      return affects({ operation: change.operation, args: change.args }, { operation: answer.operation, args: answer.args })
    } catch (error) {
      this.#warnOnce('affects', `The option affects threw, so the answer is forgotten: ${(error as Error)?.message}`)
      return true
    }
  }

  #send (kept: KeptAnswer, now: number, type: 'hit' | 'stale'): CachedAnswer {
    this.#note(type, kept.operation)
    return cachedAnswer(kept, now)
  }

  #note (type: CacheEvent['type'], operation: ReadMethod): void {
    this.#counts[type]++
    try {
      this.#options.onEvent?.({ type, operation })
    } catch (error) {
      this.#warnOnce('onEvent', `The option onEvent threw: ${(error as Error)?.message}`)
    }
  }

  #warnOnce (key: string, message: string): void {
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.#log?.warn(message)
  }
}

/** Id of the item that a mutation changed; what the adapter answered may be anything. */
function idOf (operation: MutationMethod, args: readonly unknown[], data: unknown): string | undefined {
  const { id: name } = effects[operation]
  try {
    const id: unknown = name === undefined ? Object(data).id : args[operationOf(operation).parameters.indexOf(name)]
    return id === undefined ? undefined : String(id)
  } catch {
    return undefined
  }
}

/**
 * Makes a cache that keeps what the source answered, for each account, for the option `cache` of one registration.
 *
 * Equal questions at the same time are one call of the adapter. A mutation forgets what it changed before it is answered.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export const createSourceCache = (options: SourceCacheOptions = {}): SourceCache => new SourceCache(options)
