/** Assigns a number to each distinct string. */
export class Interned {
  readonly #numbers = new Map<string, number>()
  /** The strings by their numbers. */
  readonly texts: string[] = []

  numberOf (text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.texts.length)
    return this.texts.push(text) - 1
  }

  /** Returns the number of a string; `undefined` if it has none. */
  find (text: string): number | undefined { return this.#numbers.get(text) }
}

/** Stores each distinct set of numbers once: most items share a few sets. */
export class InternedSets {
  readonly #numbers = new Interned()
  /** The sets by their numbers. */
  readonly sets: (readonly number[])[] = []

  numberOf (values: Iterable<number>): number {
    const set = [...new Set(values)].sort((a, b) => a - b)
    const number = this.#numbers.numberOf(set.join())
    this.sets[number] ??= set
    return number
  }

  /** Returns whether each set has a value that fits, by the numbers of the sets. */
  which (fits: (value: number) => boolean): boolean[] { return this.sets.map(set => set.some(fits)) }
}
