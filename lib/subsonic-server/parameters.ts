import { SubsonicError } from './subsonic-error.ts'

/** The parameters of a call, from the query and the form together. A blank one is an absent one. */
export class Parameters {
  readonly #values = new Map<string, string[]>()
  readonly #names = new Set<string>()

  /** @param parts the query and the form as parsers give them: text or lists of text by name */
  constructor (...parts: unknown[]) {
    for (const part of parts) {
      for (const [name, value] of Object.entries(Object(part))) {
        const given = [value].flat().filter((text): text is string => typeof text === 'string' && text.trim() !== '')
        this.#names.add(name)
        if (given.length > 0) this.#values.set(name, [...this.all(name), ...given])
      }
    }
  }

  /** The first value. */
  first (name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  /** A text that a blank one clears: `''` for that, `undefined` where it was not sent. */
  clearable (name: string): string | undefined {
    return this.first(name) ?? (this.#names.has(name) ? '' : undefined)
  }

  all (name: string): string[] {
    return this.#values.get(name) ?? []
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
    return this.integers(name)[0]
  }

  /** All values, as `integer`. */
  integers (name: string): number[] {
    return this.all(name).map(value => {
      const number = readNumber(value)
      if (number === undefined) throw new SubsonicError(10, `Parameter ${name} must be a number of 0 or more`)
      return number
    })
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

/** A number as `integer` reads it; `undefined` for what is none. */
export function readNumber (text: string): number | undefined {
  // Many apps do not escape a plus, which is a space then.
  const written = text.trim().replace(/e /i, 'e+')
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(written)) return undefined
  const number = Math.round(Number(written))
  return number === Infinity ? undefined : Math.min(number, Number.MAX_SAFE_INTEGER)
}
