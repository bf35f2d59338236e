import { Form } from './read-form.ts'
import { SubsonicError } from './subsonic-error.ts'

/** Characters of a text. */
const longestText = 10_000
/** Characters of a name. */
const longestName = 100

const none: readonly string[] = []
const isGiven = (text: unknown): text is string => typeof text === 'string' && text.trim() !== ''

/** The parameters of a call, from the query and the form together. A blank one is an absent one. */
export class Parameters {
  readonly #query: Readonly<Record<string, unknown>>
  readonly #form: Form | undefined
  readonly #values = new Map<string, readonly string[]>()

  /** @param query text or lists of text by name */
  constructor (query: unknown, form: unknown) {
    this.#query = Object(query)
    for (const [name, value] of Object.entries(this.#query)) {
      if (Array.isArray(value)) this.#values.set(name, value.filter(isGiven))
      else if (typeof value === 'string' && value.trim() !== '') this.#values.set(name, [value])
    }
    if (form instanceof Form) this.#form = form
  }

  /** What an app says of itself and of its user: more than `longestName` characters are cut. */
  name (name: string): string | undefined {
    const values = this.#form === undefined ? this.#values.get(name) : this.#given(name)
    return values?.[0]?.slice(0, longestName)
  }

  /** The first value. */
  first (name: string): string | undefined {
    const value = (this.#form === undefined ? this.#values.get(name) : this.#given(name))?.[0]
    return value !== undefined && value.length > longestText ? this.all(name)[0] : value
  }

  /** A text that a blank one clears: `''` for that, `undefined` where it was not sent. */
  clearable (name: string): string | undefined {
    return this.first(name) ?? (Object.hasOwn(this.#query, name) || this.#form?.has(name) ? '' : undefined)
  }

  /** @throws SubsonicError 10 for a text that is longer than any that means something */
  all (name: string): readonly string[] {
    const values = this.#given(name)
    if (values.some(({ length }) => length > longestText)) {
      throw new SubsonicError(10, `Parameter ${name} has at most ${longestText} characters`)
    }
    return values
  }

  #given (name: string): readonly string[] {
    const inQuery = this.#values.get(name) ?? none
    return this.#form === undefined ? inQuery : [...inQuery, ...this.#form.all(name).filter(isGiven)]
  }

  /** @throws SubsonicError 10 */
  required (name: string): string {
    const value = this.first(name)
    if (value === undefined) throw new SubsonicError(10, `Required parameter is missing: ${name}`)
    return value
  }

  /**
   * A whole number of 0 or more: numbers as languages write them (`7.5`, `1.2e+05`) are rounded.
   *
   * @throws SubsonicError 10 for anything else
   */
  integer (name: string): number | undefined {
    const value = this.first(name)
    return value === undefined ? undefined : numberIn(name, value)
  }

  /** A time with its fraction, to a millisecond. */
  seconds (name: string): number | undefined {
    const value = this.first(name)
    return value === undefined ? undefined : numberIn(name, value, 1000)
  }

  /** All values, as `integer`. */
  integers (name: string): number[] {
    return this.all(name).map(value => numberIn(name, value))
  }

  flag (name: string): boolean | undefined {
    const value = this.first(name)?.trim().toLowerCase()
    return value === 'true' ? true : value === 'false' ? false : undefined
  }

  /** How many items of a list are asked for, and from where on. */
  page (size: string, offset: string, byDefault: number, most = 500): { size: number, offset: number } {
    return { size: Math.min(this.integer(size) ?? byDefault, most), offset: this.integer(offset) ?? 0 }
  }
}

function numberIn (name: string, value: string, steps?: number): number {
  const number = readNumber(value, steps)
  if (number === undefined) throw new SubsonicError(10, `Parameter ${name} must be a number of 0 or more`)
  return number
}

/** A number as `integer` reads it, or rounded to this many steps between two; `undefined` for what is none. */
export function readNumber (text: string, steps = 1): number | undefined {
  // Many apps do not escape a plus, which is a space then.
  const written = text.trim().replace(/e /i, 'e+')
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(written)) return undefined
  const number = Math.round(Number(written) * steps) / steps
  return number === Infinity ? undefined : Math.min(number, Number.MAX_SAFE_INTEGER)
}
