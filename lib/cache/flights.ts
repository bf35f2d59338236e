import type { CachedAnswer, Question, Source } from '../contract/answer-cache.ts'
import { cachedAnswer, sentOnce } from './cached-answer.ts'
import type { News } from './changes.ts'
import type { Judge } from './judge.ts'
import { Landings, type CacheParts, type Flight } from './landings.ts'
import { readFailure } from './read-failure.ts'
import type { Landing, Place, SharedStore } from './shared-store.ts'

/** The calls of the adapter that are under way: one for all who ask the same at the same time. */
export class Flights {
  readonly #landings: Landings
  readonly #judge: Judge
  readonly #store: SharedStore | undefined
  /**
   * Flights that others may join, by key. It is no Map, nor is the list a Set: while their entries come and go, V8
   * keeps those that are gone until the next full garbage collection, which doubles the cost of a miss.
   */
  readonly #joinable: Record<string, Flight | undefined> = Object.create(null)
  readonly #all: Flight[] = []

  constructor (parts: CacheParts, store: SharedStore | undefined) {
    this.#landings = new Landings(parts)
    this.#judge = parts.judge
    this.#store = store
  }

  /** The flight that whoever asks now may join. */
  get (key: string): Flight | undefined {
    return this.#joinable[key]
  }

  start (place: Place, question: Question, source: Source, isBehind = false): Flight {
    const landings = this.#landings
    const flight: Flight = {
      place,
      index: this.#all.length,
      born: performance.now(),
      startedBy: question.account,
      news: [],
      refresh: false,
      isBehind,
      isStale: false,
      isOver: false,
      isBeforeChange: false,
      call: () => source.ask().then(
        fresh => landings.land(flight, fresh), error => landings.landNotFound(flight, error)),
      accept: answer => landings.accept(flight, answer),
      landed: undefined!
    }
    this.#joinable[place.key] = flight
    this.#all.push(flight)
    flight.landed = this.#fly(flight, question, source)
    return flight
  }

  /** Starts a flight that nobody waits for. */
  startBehind (place: Place, question: Question, source: Source): void {
    this.start(place, question, source, true).landed.catch(() => {})
  }

  async #fly (flight: Flight, question: Question, source: Source): Promise<Landing> {
    const { place, place: { key, policy: { ttl } } } = flight
    const store = this.#store
    // What is kept nowhere is not worth a question to the store.
    const isStored = store !== undefined && (typeof ttl === 'function' || ttl > 0)
    let landing: Landing
    try {
      landing = await source.share(() => isStored ? store.fetch(flight) : flight.call())
    } catch (error) {
      landing = this.#landings.fail(flight, error, source)
    } finally {
      flight.isOver = true
      this.#remove(flight)
      if (flight.isStale && this.#joinable[key] === undefined) this.startBehind(place, question, source)
    }
    return landing
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

  #remove (flight: Flight): void {
    const { index, place: { key } } = flight
    const last = this.#all.pop()!
    last.index = index
    if (last !== flight) this.#all[index] = last
    if (this.#joinable[key] === flight) delete this.#joinable[key]
  }

  /** What is under way may be old when it lands. */
  learn (news: News): void {
    for (const flight of this.#all) {
      flight.news.push(news)
      // Who asks from now on must see the change, so nobody joins what began before.
      if (!this.#judge.mayConcern(news, flight.place)) continue
      flight.isBeforeChange = true
      delete this.#joinable[flight.place.key]
    }
  }
}
