import { Form } from './read-form.ts'
import { SubsonicError } from './subsonic-error.ts'

/** The maximum length of a string in characters. */
const longestText = 10_000
/** The maximum length of a name in characters. */
const longestName = 100

const none: readonly string[] = []
const isGiven = (text: unknown): text is string => typeof text === 'string' && text.trim() !== ''

/** The parameters of a call, from its query and its form. A blank parameter counts as absent. */
export class Parameters {
  readonly #query: Readonly<Record<string, unknown>>
  readonly #form: Form | undefined
  readonly #values = new Map<string, readonly string[]>()

  /** @param query strings or lists of strings by name */
  constructor (query: unknown, form: unknown) {
    this.#query = Object(query)
    for (const [name, value] of Object.entries(this.#query)) {
      if (Array.isArray(value)) this.#values.set(name, value.filter(isGiven))
      else if (typeof value === 'string' && value.trim() !== '') this.#values.set(name, [value])
    }
    if (form instanceof Form) this.#form = form
  }

  /** Returns a parameter that describes the app or its user, truncated to `longestName` characters. */
  name (name: string): string | undefined {
    const values = this.#form === undefined ? this.#values.get(name) : this.#given(name)
    return values?.[0]?.slice(0, longestName)
  }

  /** Returns the first value. */
  first (name: string): string | undefined {
    const value = (this.#form === undefined ? this.#values.get(name) : this.#given(name))?.[0]
    return value !== undefined && value.length > longestText ? this.all(name)[0] : value
  }

  /** Returns a string that a blank value clears: `''` if it was sent blank, `undefined` if it was not sent. */
  clearable (name: string): string | undefined {
    return this.first(name) ?? (Object.hasOwn(this.#query, name) || this.#form?.has(name) ? '' : undefined)
  }

  /**
   * Returns all values.
   *
   * @throws SubsonicError 10 for a string above the length limit
   */
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
   * Returns a whole number of at least 0. Decimal and exponential notation (`7.5`, `1.2e+05`) is rounded.
   *
   * @throws SubsonicError 10 for other values
   */
  integer (name: string): number | undefined {
    const value = this.first(name)
    return value === undefined ? undefined : numberIn(name, value)
  }

  /** Returns a time in seconds, rounded to a millisecond. */
  seconds (name: string): number | undefined {
    const value = this.first(name)
    return value === undefined ? undefined : numberIn(name, value, 1000)
  }

  /** Returns all values as `integer` does. */
  integers (name: string): number[] {
    return this.all(name).map(value => numberIn(name, value))
  }

  flag (name: string): boolean | undefined {
    const value = this.first(name)?.trim().toLowerCase()
    return value === 'true' ? true : value === 'false' ? false : undefined
  }

  /** Returns the page size and the offset of a list. */
  page (size: string, offset: string, byDefault: number, most = 500): { size: number, offset: number } {
    return { size: Math.min(this.integer(size) ?? byDefault, most), offset: this.integer(offset) ?? 0 }
  }
}

function numberIn (name: string, value: string, steps?: number): number {
  const number = readNumber(value, steps)
  if (number === undefined) throw new SubsonicError(10, `Parameter ${name} must be a number of 0 or more`)
  return number
}

/** Reads a number as `integer` does, rounded to 1/`steps`; `undefined` if it is invalid. */
export function readNumber (text: string, steps = 1): number | undefined {
  // Many apps do not escape a plus, which is then decoded as a space.
  const written = text.trim().replace(/e /i, 'e+')
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(written)) return undefined
  const number = Math.round(Number(written) * steps) / steps
  return number === Infinity ? undefined : Math.min(number, Number.MAX_SAFE_INTEGER)
}
