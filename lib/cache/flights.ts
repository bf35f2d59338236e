import type { CachedAnswer, Question, Source } from '../contract/answer-cache.ts'
import { cachedAnswer, sentOnce } from './cached-answer.ts'
import type { News } from './changes.ts'
import type { Judge } from './judge.ts'
import { Landings, type CacheParts, type Flight } from './landings.ts'
import { readFailure } from './read-failure.ts'
import type { Place, SharedStore } from './shared-store.ts'

/** The calls of the adapter that are under way: one for all who ask the same at the same time. */
export class Flights {
  readonly #landings: Landings
  readonly #judge: Judge
  readonly #store: SharedStore | undefined
  /** Flights that others may join, by key. */
  readonly #joinable = new Map<string, Flight>()
  readonly #all = new Set<Flight>()

  constructor (parts: CacheParts, store: SharedStore | undefined) {
    this.#landings = new Landings(parts)
    this.#judge = parts.judge
    this.#store = store
  }

  /** The flight that whoever asks now may join. */
  get (key: string): Flight | undefined {
    return this.#joinable.get(key)
  }

  start (place: Place, question: Question, source: Source, refresh: boolean, isBehind = false): Flight {
    const landings = this.#landings
    const store = this.#store
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
      call: () => source.ask().then(fresh => landings.land(flight, fresh), error => landings.landNotFound(flight, error)),
      accept: answer => landings.accept(flight, answer),
      landed: undefined!
    }
    // What is kept nowhere is not worth a question to the store.
    const isStored = store !== undefined && (typeof ttl === 'function' || ttl > 0)
    flight.landed = source.share(() => isStored ? store.fetch(flight) : flight.call())
      .catch(error => landings.fail(flight, error, source))
      .finally(() => {
        flight.isOver = true
        this.#all.delete(flight)
        if (this.#joinable.get(place.key) === flight) this.#joinable.delete(place.key)
        if (flight.isStale && !this.#joinable.has(place.key)) this.startBehind(place, question, source)
      })
    this.#all.add(flight)
    this.#joinable.set(place.key, flight)
    return flight
  }

  /** Starts a flight that nobody waits for. */
  startBehind (place: Place, question: Question, source: Source): void {
    this.start(place, question, source, false, true).landed.catch(() => {})
  }

  /** The answer for one of those who wait. */
  async wait (flight: Flight, { account }: Question, source: Source, joined: boolean): Promise<CachedAnswer> {
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

  /** What is under way may be old when it lands. */
  learn (news: News): void {
    for (const flight of this.#all) {
      flight.news.push(news)
      // Who asks from now on must see the change, so nobody joins what began before.
      if (this.#judge.mayConcern(news, flight.place)) this.#joinable.delete(flight.place.key)
    }
  }
}
