import type { Inquiry } from '../contract/answer-cache.ts'
import { cachedAnswer, sentOnce } from './cached-answer.ts'
import type { News } from './changes.ts'
import type { Judge } from './judge.ts'
import { Landings, type CacheParts, type Flight } from './landings.ts'
import { readFailure } from './read-failure.ts'
import type { Landing, Place, SharedStore } from './shared-store.ts'

/** Asks the adapter for one client only. */
export const askAlone = ({ call, ask, write, send, fail }: Inquiry): void =>
  call.run(ask, data => send(sentOnce(write(data), 'fwd=bypass')), fail)

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

  /**
   * Calls the adapter for an inquiry, and answers it.
   *
   * @param isBehind whether the inquiry has been answered already
   */
  start (place: Place, inquiry: Inquiry, isBehind = false): void {
    const landings = this.#landings
    const land = (data: unknown) => landings.land(flight, data, inquiry.write(data))
    const flight: Flight = {
      place,
      index: this.#all.length,
      born: performance.now(),
      startedBy: inquiry,
      waiting: isBehind ? [] : [inquiry],
      news: [],
      isBehind,
      isStale: false,
      isOver: false,
      isBeforeChange: false,
      async call () {
        try {
          return land(await inquiry.ask())
        } catch (error) {
          const landing = landings.landNotFound(flight, error)
          if (landing === undefined) throw error
          return landing
        }
      },
      accept: answer => landings.accept(flight, answer)
    }
    this.#joinable[place.key] = flight
    this.#all.push(flight)
    const end = (landing: Landing) => this.#end(flight, landing, undefined)
    const fail = (error: Error) => this.#end(flight, landings.fail(flight, error), error)
    const { ttl } = place.policy
    const store = this.#store
    // What is kept nowhere is not worth a question to the store.
    if (store !== undefined && (typeof ttl === 'function' || ttl > 0)) {
      return inquiry.call.share(() => store.fetch(flight), end, fail)
    }
    inquiry.call.share(() => inquiry.ask(), data => end(land(data)), error => {
      const landing = landings.landNotFound(flight, error)
      if (landing === undefined) fail(error)
      else end(landing)
    })
  }

  /** Answers all who wait. */
  #end (flight: Flight, landing: Landing | undefined, error: Error | undefined): void {
    const { place, startedBy } = flight
    flight.isOver = true
    this.#remove(flight)
    if (flight.isStale && this.#joinable[place.key] === undefined) this.start(place, startedBy, true)
    for (const inquiry of flight.waiting) this.#answer(inquiry, startedBy, landing, error)
  }

  #answer (inquiry: Inquiry, startedBy: Inquiry, landing: Landing | undefined, error: Error | undefined): void {
    const isPersonal = landing === undefined ? readFailure(error).isPersonal : 'body' in landing && landing.isPersonal
    // What is one account's is not for another, whatever the policy promised.
    if (isPersonal && inquiry.question.account !== startedBy.question.account) return askAlone(inquiry)
    try {
      if (landing === undefined) throw error
      const status = inquiry === startedBy ? 'fwd=miss' : 'fwd=miss; collapsed'
      inquiry.send('kept' in landing
        ? cachedAnswer(landing.kept, performance.now(), status)
        : sentOnce(landing.body, status))
    } catch (error) {
      inquiry.fail(error)
    }
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
