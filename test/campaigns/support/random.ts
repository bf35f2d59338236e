/** Numbers that look random and are the same for the same seed. */
export class Random {
  #state: number

  constructor (seed: number) {
    this.#state = seed >>> 0
    // Neighbouring seeds begin alike.
    for (let step = 0; step < 3; step++) this.next()
  }

  /** From 0 to below 1 (mulberry32). */
  next (): number {
    this.#state = this.#state + 0x6d2b79f5 >>> 0
    let value = Math.imul(this.#state ^ this.#state >>> 15, this.#state | 1)
    value ^= value + Math.imul(value ^ value >>> 7, value | 61)
    return ((value ^ value >>> 14) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 to below `end`. */
  below (end: number): number {
    return Math.floor(this.next() * end)
  }

  chance (probability: number): boolean {
    return this.next() < probability
  }

  pick<T> (list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** A few of anything. */
  some<T> (most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make)
  }
}
