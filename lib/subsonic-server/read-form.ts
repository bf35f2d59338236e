import { unescape } from 'node:querystring'
import { BadRequestError } from '../contract/errors.ts'
import { mostIds } from '../source/index.ts'

/** Parameters of a form: the ids that a call may name, and what stands beside them. */
const mostParameters = mostIds + 100
/** Characters of a name; longer ones are no parameters. */
const longestName = 100
const [plus, space] = [0x2b, 0x20]

/** A form as it was sent. A value is decoded when it is asked for: before the login a few short ones are. */
export class Form {
  readonly #raw = new Map<string, string[]>()

  /** @throws BadRequestError for too many parameters */
  constructor (body: Buffer) {
    for (let at = body.indexOf(plus); at !== -1 && at < body.length; at++) if (body[at] === plus) body[at] = space
    const parts = body.toString().split('&', mostParameters + 1)
    if (parts.length > mostParameters) {
      throw new BadRequestError(`A form has at most ${mostParameters} parameters, and a call names ${mostIds} ids`)
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

  /** Whether it has a parameter, a blank one too. */
  has (name: string): boolean {
    return this.#raw.has(name)
  }

  all (name: string): string[] {
    return (this.#raw.get(name) ?? []).map(value => value.includes('%') ? unescape(value) : value)
  }
}
