/**
 * A call that is waited for, in a ring with those before and after it. A class, not a literal: with a literal some processes took
 * half as long again for a small answer, and none with the class. The likely cause is that V8 comes to allocate such literals among
 * what lives long, requests with them.
 */
class Deadline {
  /** The tick at which it is over. */
  readonly at: number
  readonly expire: (() => void) | undefined
  previous: Deadline | undefined
  next: Deadline | undefined

  constructor (at: number, expire?: () => void) {
    this.at = at
    this.expire = expire
    this.previous = this.next = undefined
  }
}

/**
 * The time limit of all calls of one plugin. They share it, so the oldest is always the next to be over, and one timer serves
 * them all. It ticks, and a call that begins counts the ticks until it is over: a timer for each call, a look at the clock, or a Set
 * of the calls would cost a small answer several percent. The tick that finds nothing waited for is the last: to release the
 * process at the end of each call, and to hold it again at the next, would cost 2 % on Node 24.
 */
export class Deadlines {
  /** Milliseconds; 0 = no limit. A call expires up to a thirtieth, at least one millisecond and at most a second, later; when ticks are late, so is it. */
  readonly timeout: number
  /** Milliseconds from tick to tick. */
  readonly #period: number
  /** Ticks that a call may take: one more than the time limit holds, since the first may come at once. */
  readonly #most: number
  /** Where the ring is closed: the oldest is next to it, the newest before it. */
  readonly #ring = new Deadline(0)
  #ticks = 0
  #timer: NodeJS.Timeout | undefined

  constructor (timeout: number) {
    this.timeout = timeout
    this.#period = Math.min(Math.ceil(timeout / 30), 1000)
    this.#most = timeout === 0 ? 0 : Math.ceil(timeout / this.#period) + 1
    this.#ring.previous = this.#ring.next = this.#ring
  }

  /** Starts to wait. `expire` is called once if nobody ends it in time. */
  start (expire: () => void): Deadline {
    const ring = this.#ring
    const newest = ring.previous!
    const deadline = new Deadline(this.#ticks + this.#most, expire)
    deadline.previous = newest
    deadline.next = ring
    newest.next = ring.previous = deadline
    if (this.#timer === undefined && this.timeout !== 0) this.#timer = setInterval(() => this.#tick(), this.#period)
    return deadline
  }

  /** Ends the waiting. Returns whether it was waited for still. */
  end (deadline: Deadline): boolean {
    const { previous, next } = deadline
    if (next === undefined) return false
    previous!.next = next
    next.previous = previous
    // What is over may lie among what lives long until it is collected, and would keep what it links to.
    deadline.previous = deadline.next = undefined
    return true
  }

  /** Releases the timer if nothing is waited for. A call that is still waited for when the app closes keeps its time limit. */
  release (): void {
    if (this.#ring.next !== this.#ring) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick (): void {
    const ring = this.#ring
    const now = ++this.#ticks
    for (let oldest = ring.next!; oldest !== ring && oldest.at <= now; oldest = ring.next!) {
      this.end(oldest)
      oldest.expire!()
    }
    this.release()
  }
}
