/** Something that was thrown and is no Error: Fastify would send it as an answer. */
export class ThrownValue extends Error {
  /** Private, so that no logger writes it. */
  readonly #value: unknown

  constructor (value: unknown) {
    super(`Thrown without being an Error: a value of type ${typeof value}. Throw new Error(…), which has a stack`)
    this.#value = value
  }

  get value (): unknown {
    return this.#value
  }
}
