import { unescape } from 'node:querystring'
import { BadRequestError } from '../contract/errors.ts'
import { maxIds } from '../source/index.ts'

/** The maximum number of form parameters: the ids of a call and a few others. */
const mostParameters = maxIds + 100
/** The maximum length of a name in characters. Longer names are ignored. */
const longestName = 100
const [plus, space] = [0x2b, 0x20]

/** A form body. Values are decoded on access: before the login only a few short ones are. */
export class Form {
  readonly #raw = new Map<string, string[]>()

  /** @throws BadRequestError if there are too many parameters */
  constructor (body: Buffer) {
    for (let at = body.indexOf(plus); at !== -1 && at < body.length; at++) if (body[at] === plus) body[at] = space
    const parts = body.toString().split('&', mostParameters + 1)
    if (parts.length > mostParameters) {
      throw new BadRequestError(`A form has at most ${mostParameters} parameters, and a call names ${maxIds} ids`)
    }
    for (const part of parts) {
      const end = part.includes('=') ? part.indexOf('=') : part.length
      if (end > longestName) continue
      const name = unescape(part.slice(0, end))
      const values = this.#raw.get(name) ?? []
      values.push(part.slice(end + 1))
      this.#raw.set(name, values)
    }
  }

  /** Returns whether it has a parameter, even a blank one. */
  has (name: string): boolean {
    return this.#raw.has(name)
  }

  all (name: string): string[] {
    return (this.#raw.get(name) ?? []).map(value => value.includes('%') ? unescape(value) : value)
  }
}
