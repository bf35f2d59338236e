/** The error for a thrown value that is not an Error. Fastify would send the value as a response. */
export class ThrownValue extends Error {
  /** Private, so that loggers do not write it. */
  readonly #value: unknown

  constructor (value: unknown) {
    super(`Thrown without being an Error: a value of type ${typeof value}. Throw new Error(…), which has a stack`)
    this.#value = value
  }

  get value (): unknown {
    return this.#value
  }
}
