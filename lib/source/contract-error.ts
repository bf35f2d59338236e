import { SourceError } from '../contract/errors.ts'
import type { Violation } from './mend-value.ts'

/**
 * An adapter's value broke the contract. The message names the schema and the path. Clients see it only in
 * development.
 */
export class ContractError extends SourceError {
  /** Path and rule, for example `/artists/0/name Expected string`; ten at most. */
  readonly violations: readonly string[]

  /** @param data what the adapter gave */
  constructor (schema: string, violations: readonly Violation[], data: unknown) {
    const isNothing = data === null || data === undefined
    const hint = isNothing ? `, got ${data}: throw NotFoundError where there is no such item` : ''
    const texts = violations.slice(0, 10).map(({ path, message }) => `${path || '/'} ${message}${hint}`)
    super(500, `Adapter response does not match ${schema}: ${texts[0]}`)
    this.violations = texts
  }
}
