import type { TSchema } from '@sinclair/typebox'
import { schemaName, wireSchema } from '../../schemas/common.ts'
import { schemas } from '../../schemas/index.ts'
import { closeUnread, discard, unawaited } from '../async/unawaited.ts'
import { UpstreamError } from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import { compileSafeProof, type Proven } from './compile-proof.ts'
import { ContractError } from './contract-error.ts'
import { compileExtras } from './item-extras.ts'
import type { ViolationLog } from './violation-log.ts'
import { compileRepair, itemOf, unusable, type Violation } from './repair-value.ts'

const namedOnTheWire = Object.fromEntries(schemas.map(schema => [schema.$id!, wireSchema(schema) as TSchema]))

export interface ConformingOptions {
  /** The name of the operation, for the log. */
  operation: string
  /** If `true`, data that violates the contract is rejected instead of repaired. */
  validateResponses: boolean
  /** Logs repairs. */
  drifts: Pick<ViolationLog, 'note'>
}

/** Compiles a function that checks whether data conforms as it is sent. */
export const proofOf = (schema: TSchema): (value: unknown) => Proven => compileSafeProof(schema, namedOnTheWire)

/**
 * Compiles a function that returns any data as plain data that conforms, or rejects it. If the data is proven to
 * conform, only the extras are checked.
 */
export function compileConforming (schema: TSchema, { operation, validateResponses, drifts }: ConformingOptions) {
  const mend = compileRepair(schema)
  const extras = compileExtras(schema)
  const name = schemaName(schema)
  return (data: unknown, isProven = false, from = operation): unknown => {
    const violations: Violation[] = []
    let mended = isProven ? data : mend(data, '', violations)
    // Invalid extras are always left out.
    const ofAnswer = violations.length
    if (extras !== undefined && mended !== unusable) mended = extras.conform(mended, violations)
    if (violations.length === 0) return mended
    const isUnread = (violation: Violation) => 'cause' in violation || unawaited(violation.value) !== undefined
    const early = violations.filter(isUnread)
    const error = () => new ContractError(from, name, [...new Set([...early, ...violations])])
    discard([data, ...early.map(({ value }) => value)])
    for (const { value } of early) closeUnread(value)
    if (validateResponses) throw error()
    // An omitted or neutral value would look like a valid response.
    const unread = early.find(violation => violations.indexOf(violation) < ofAnswer)
    if (unread !== undefined) throw new TypeError(error().message, 'cause' in unread ? { cause: unread.cause } : {})
    if (mended === unusable) {
      if (name === 'TrackUrl' && isObject(data)) throw new UpstreamError('The source gave no URL for this track')
      throw new TypeError(error().message)
    }
    for (const violation of violations) {
      const { path, message } = violation
      drifts.note(from, path, `${name} ${path} ${message}${itemOf(violation)}`)
    }
    return mended
  }
}

/** Compiles the same function, which returns data that conforms unchanged. */
export function compileReader (schema: TSchema, options: ConformingOptions): (data: unknown, from?: string) => unknown {
  const prove = proofOf(schema)
  const conform = compileConforming(schema, options)
  return (data, from) => conform(data, prove(data) !== 'no', from)
}
