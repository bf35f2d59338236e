/**
 * A call that is waited for. A class, not a literal: with a literal some processes took half as long again for a small answer, and
 * none with the class. The likely cause is that V8 comes to allocate such literals among what lives long, requests with them.
 */
class Deadline {
  /** When it is over, in ms as `performance.now()` counts. */
  readonly at: number
  readonly expire: () => void

  constructor (at: number, expire: () => void) {
    this.at = at
    this.expire = expire
  }
}

/**
 * The time limit of all calls of one plugin. They share it, so the oldest is always the next to be over, and one timer serves
 * them all: a timer for each call would cost a small answer several percent.
 */
export class Deadlines {
  /** Milliseconds; 0 = no limit. */
  readonly timeout: number
  readonly #pending = new Set<Deadline>()
  #timer: NodeJS.Timeout | undefined

  constructor (timeout: number) {
    this.timeout = timeout
  }

  /** Starts to wait. `expire` is called once if nobody ends it in time. */
  start (expire: () => void): Deadline {
    const deadline = new Deadline(performance.now() + this.timeout, expire)
    this.#pending.add(deadline)
    if (this.#timer === undefined) this.#wake(this.timeout)
    else if (this.#pending.size === 1) this.#timer.ref()
    return deadline
  }

  /** Ends the waiting. While nothing is waited for, the timer keeps no process alive. */
  end (deadline: Deadline): void {
    if (this.#pending.delete(deadline) && this.#pending.size === 0) this.#timer!.unref()
  }

  /** Releases the timer, when nothing is waited for any more. */
  stop (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wake (milliseconds: number): void {
    this.#timer = setTimeout(() => {
      const now = performance.now()
      for (const deadline of this.#pending) {
        if (deadline.at > now) break
        this.#pending.delete(deadline)
        deadline.expire()
      }
      const [next] = this.#pending
      if (next === undefined) this.#timer = undefined
      else this.#wake(next.at - now)
    }, milliseconds)
  }
}
