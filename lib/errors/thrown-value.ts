/** The error for a thrown value that is not an Error. Fastify would send the value as a response. */
export class ThrownValue extends Error {
  /** Private, so that loggers do not write it. */
  readonly #value: unknown

  /** @param words the value in the message, which must not contain secrets */
  constructor (value: unknown, words = `a value of type ${typeof value}`) {
    super(`Thrown without being an Error: ${words}. Throw new Error(…), which has a stack`)
    this.#value = value
  }

  get value (): unknown {
    return this.#value
  }
}
