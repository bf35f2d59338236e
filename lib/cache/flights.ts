import type { Inquiry } from '../contract/answer-cache.ts'
import { elapsed } from '../async/elapsed.ts'
import { cachedAnswer, sentOnce } from './cached-answer.ts'
import type { News } from './changes.ts'
import type { Judge } from './judge.ts'
import type { KeptAnswer } from './kept-answers.ts'
import { Landings, type CacheParts, type Flight } from './landings.ts'
import { readFailure } from './read-failure.ts'
import type { Landing, Place, SharedStore } from './shared-store.ts'

/** Asks the adapter for one client only. */
export const askAlone = ({ call, ask, write, send, fail }: Inquiry): void =>
  call.run(ask, data => send(sentOnce(write(data), 'fwd=bypass')), fail)

class StartedFlight implements Flight {
  readonly place: Place
  readonly startedBy: Inquiry
  readonly born: number
  readonly isBehind: boolean
  readonly index: number
  readonly waiting: Inquiry[]
  readonly news: News[] = []
  isStale = false
  isOver = false
  isBeforeChange = false
  readonly #landings: Landings

  constructor (
    place: Place, startedBy: Inquiry, born: number, isBehind: boolean, index: number, landings: Landings
  ) {
    this.place = place
    this.startedBy = startedBy
    this.born = born
    this.isBehind = isBehind
    this.index = index
    this.waiting = isBehind ? [] : [startedBy]
    this.#landings = landings
  }

  land (data: unknown): Landing {
    return this.#landings.land(this, data, this.startedBy.write(data))
  }

  async call (): Promise<Landing> {
    try {
      return this.land(await this.startedBy.ask())
    } catch (error) {
      const landing = this.#landings.landNotFound(this, error)
      if (landing === undefined) throw error
      return landing
    }
  }

  shareable (error: unknown): Error {
    return this.startedBy.shareable(error)
  }

  accept (answer: KeptAnswer): Landing | undefined {
    return this.#landings.accept(this, answer)
  }
}

/** The calls of the adapter that are under way: one for all who ask the same at the same time. */
export class Flights {
  readonly #landings: Landings
  readonly #judge: Judge
  readonly #store: SharedStore | undefined
  /** By index, with `undefined` at those that are free. */
  readonly #all: (Flight | undefined)[] = []
  /**
   * Indexes of the flights that others may join, by key. It does not hold the flights themselves: V8 keeps what has
   * gone from a Map until the next full garbage collection, which doubles the cost of a miss. The entry of the
   * empty key always stays, since V8 makes a new table whenever a Map becomes empty.
   */
  readonly #joinable = new Map([['', -1]])

  constructor (parts: CacheParts, store: SharedStore | undefined) {
    this.#landings = new Landings(parts)
    this.#judge = parts.judge
    this.#store = store
  }

  /** The flight that whoever asks now may join. */
  get (key: string): Flight | undefined {
    const index = this.#joinable.get(key)
    return index === undefined ? undefined : this.#all[index]
  }

  /**
   * Calls the adapter for an inquiry, and answers it.
   *
   * @param isBehind whether the inquiry has been answered already
   */
  start (place: Place, inquiry: Inquiry, born: number, isBehind = false): void {
    const free = this.#all.indexOf(undefined)
    const index = free === -1 ? this.#all.length : free
    const flight = new StartedFlight(place, inquiry, born, isBehind, index, this.#landings)
    this.#all[index] = flight
    this.#joinable.set(place.key, index)
    const { ttl } = place.policy
    const store = this.#store
    // What is kept nowhere is not worth a question to the store.
    if (store !== undefined && (typeof ttl === 'function' || ttl > 0)) {
      return inquiry.call.share(
        () => store.fetch(flight), landing => this.#end(flight, landing), error => this.#fail(flight, error)
      )
    }
    inquiry.call.share(inquiry.ask, data => this.#end(flight, flight.land(data)), error => {
      const landing = this.#landings.landNotFound(flight, error)
      if (landing === undefined) this.#fail(flight, error)
      else this.#end(flight, landing)
    })
  }

  #fail (flight: Flight, error: Error): void {
    this.#end(flight, this.#landings.fail(flight, error), error)
  }

  /** Answers all who wait. */
  #end (flight: Flight, landing: Landing | undefined, error?: Error): void {
    const { place, startedBy } = flight
    flight.isOver = true
    this.#remove(flight)
    if (flight.isStale && !this.#joinable.has(place.key)) this.start(place, startedBy, elapsed(), true)
    for (const inquiry of flight.waiting) this.#answer(inquiry, startedBy, landing, error)
  }

  #answer (inquiry: Inquiry, startedBy: Inquiry, landing: Landing | undefined, error: Error | undefined): void {
    const isPersonal = landing === undefined ? readFailure(error).isPersonal : 'body' in landing && landing.isPersonal
    // What is one account's is not for another, whatever the policy promised. Two without an account may be two.
    const { account } = inquiry.question
    const isSameCaller = inquiry === startedBy || (account !== undefined && account === startedBy.question.account)
    if (isPersonal && !isSameCaller) return askAlone(inquiry)
    try {
      if (landing === undefined) throw inquiry === startedBy ? error : startedBy.shareable(error)
      const status = inquiry === startedBy ? 'fwd=miss' : 'fwd=miss; collapsed'
      inquiry.send('kept' in landing
        ? cachedAnswer(landing.kept, elapsed(), status)
        : sentOnce(landing.body, status))
    } catch (error) {
      inquiry.fail(error)
    }
  }

  #remove ({ index, place: { key } }: Flight): void {
    this.#all[index] = undefined
    if (this.#joinable.get(key) === index) this.#joinable.delete(key)
  }

  /** What is under way may be old when it lands. */
  learn (news: News): void {
    for (const flight of this.#all) {
      if (flight === undefined) continue
      flight.news.push(news)
      // Who asks from now on must see the change, so nobody joins what began before.
      if (!this.#judge.mayConcern(news, flight.place)) continue
      flight.isBeforeChange = true
      this.#joinable.delete(flight.place.key)
    }
  }
}
