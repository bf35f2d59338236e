import type { TSchema } from '@sinclair/typebox'
import { schemaName, wireSchema } from '../../schemas/common.ts'
import { schemas } from '../../schemas/index.ts'
import { closeUnread, discard, unawaited } from '../async/unawaited.ts'
import { UpstreamError } from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import { compileSafeProof, type Proven } from './compile-proof.ts'
import { ContractError } from './contract-error.ts'
import { compileExtras } from './item-extras.ts'
import type { DriftLog } from './log-drift.ts'
import { compileMending, unusable, type Violation } from './mend-value.ts'

/** The named schemas as adapters answer them. */
export const named = Object.fromEntries(schemas.map(schema => [schema.$id!, schema as TSchema]))
const namedOnTheWire = Object.fromEntries(schemas.map(schema => [schema.$id!, wireSchema(schema) as TSchema]))

export interface ConformingOptions {
  /** Name of the operation, for the log. */
  operation: string
  /** Whether data that breaks the contract is refused instead of mended. */
  validateResponses: boolean
  /** Logs what was mended. */
  drifts: DriftLog
}

/** The proof that data conforms as it is sent. */
export const proofOf = (schema: TSchema): (value: unknown) => Proven => compileSafeProof(schema, namedOnTheWire)

/**
 * Makes the function that turns any data into plain data that conforms, or refuses it. Of data that is proven to
 * conform it looks at the extras alone.
 */
export function compileConforming (schema: TSchema, { operation, validateResponses, drifts }: ConformingOptions) {
  const mend = compileMending(schema, named)
  const extras = compileExtras(schema, named)
  const name = schemaName(schema)
  return (data: unknown, isProven = false, from = operation): unknown => {
    const violations: Violation[] = []
    let mended = isProven ? data : mend(data, '', violations)
    // What is wrong in extras is left out, whatever it is.
    const ofAnswer = violations.length
    if (extras !== undefined && mended !== unusable) mended = extras.conform(mended, violations)
    if (violations.length === 0) return mended
    const isUnread = (violation: Violation) => 'cause' in violation || unawaited(violation.value) !== undefined
    const early = violations.filter(isUnread)
    const error = () => new ContractError(from, name, [...new Set([...early, ...violations])])
    discard([data, ...early.map(({ value }) => value)])
    for (const { value } of early) closeUnread(value)
    if (validateResponses) throw error()
    // Left out or neutral, it would look like an answer.
    const unread = early.find(violation => violations.indexOf(violation) < ofAnswer)
    if (unread !== undefined) throw new TypeError(error().message, 'cause' in unread ? { cause: unread.cause } : {})
    if (mended === unusable) {
      if (name === 'TrackUrl' && isObject(data)) throw new UpstreamError('The source gave no URL for this track')
      throw new TypeError(error().message)
    }
    for (const { path, message } of violations) {
      drifts.note(from, path, `Mended ${name} of ${from}: ${path} ${message}`)
    }
    return mended
  }
}
