import { SubsonicError } from './subsonic-error.ts'

/** The parameters of a call, from the query and the form together. A blank one is an absent one. */
export class Parameters {
  readonly #values = new Map<string, string[]>()

  /** @param parts the query and the form as parsers give them: text or lists of text by name */
  constructor (...parts: unknown[]) {
    for (const part of parts) {
      for (const [name, value] of Object.entries(Object(part))) {
        const given = [value].flat().filter((text): text is string => typeof text === 'string' && text.trim() !== '')
        if (given.length > 0) this.#values.set(name, [...this.all(name), ...given])
      }
    }
  }

  /** The first value. */
  first (name: string): string | undefined {
    return this.#values.get(name)?.[0]
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

  /** An integer of 0 or more; what is none is absent. */
  integer (name: string): number | undefined {
    const value = this.first(name)?.trim() ?? ''
    return /^\d{1,15}$/.test(value) ? Number(value) : undefined
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
