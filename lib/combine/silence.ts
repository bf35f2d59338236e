import { LRUCache } from 'lru-cache'
import { atMost } from '../options/at-most.ts'

/** Milliseconds after which a source that owes an answer is asked for the next one. */
const longest = 30_000

/** Sources that owe an answer, by account and id: a combination is made for each request. */
const silent = new LRUCache<string, true>({ ...atMost(10_000), ttl: longest, ttlResolution: 0, perf: Date })

/**
 * Whether a source that has not answered in its time still owes that answer. Lists do without it meanwhile: so one that
 * hangs is waited for once, and not for each list.
 */
export class Silence {
  readonly #key: string | undefined

  /** @param account of the combination; without one nobody knows whether it is the same source the next time */
  constructor (account: string | undefined, id: string) {
    this.#key = account && JSON.stringify([account, id])
  }

  get isOn (): boolean { return this.#key !== undefined && silent.has(this.#key) }

  /** Until it answers, whatever that is. */
  begin (answer: Promise<unknown>): void {
    const key = this.#key
    if (key === undefined) return
    silent.set(key, true)
    const end = () => { silent.delete(key) }
    answer.then(end, end)
  }
}
