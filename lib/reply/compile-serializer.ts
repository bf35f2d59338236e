import type { TSchema } from '@sinclair/typebox'
import { schemaName, schemas, wireSchema } from '../../schemas/index.ts'
import { UpstreamError } from '../contract/errors.ts'
import { isObject } from '../contract/is-object.ts'
import { compileProof } from './compile-proof.ts'
import { ContractError } from './contract-error.ts'
import { compileDefaults } from './fill-defaults.ts'
import type { DriftLog } from './log-drift.ts'
import { compileMending, unusable, type Violation } from './mend-value.ts'

const named = Object.fromEntries(schemas.map(schema => [schema.$id!, schema as TSchema]))
const namedOnTheWire = Object.fromEntries(schemas.map(schema => [schema.$id!, wireSchema(schema) as TSchema]))

export interface SerializerOptions {
  /** Name of the operation, for the log. */
  operation: string
  /** Whether data that breaks the contract is refused instead of mended. */
  refuse: boolean
  /** Logs what was mended. */
  drifts: DriftLog
}

/**
 * Makes the serializer of a response schema, compiled when it is first used.
 *
 * A value that conforms is written by `JSON.stringify` as it is. Before that, one that only lacks members with defaults
 * gets them, one that conforms when it is read member by member is copied, and any other is refused or mended
 * (docs/contract.md, What production does with a value that breaks the contract).
 *
 * @param schema what is sent: the envelope around data, or a body without an envelope
 * @returns throws ContractError for data that is refused, UpstreamError for a TrackUrl without URL, TypeError for data
 * that cannot be mended
 */
export function compileSerializer (schema: TSchema, options: SerializerOptions): (body: any) => string {
  let write: ((body: any) => string) | undefined
  return body => {
    write ??= compileWriter(schema, options)
    return write(body)
  }
}

function compileWriter (schema: TSchema, options: SerializerOptions): (body: any) => string {
  const isEnvelope = schema.properties?.code?.const === 200
  const dataSchema: TSchema = isEnvelope ? schema.properties.data : schema
  const prove = compileProof(schema, namedOnTheWire)
  const fill = compileDefaults(dataSchema, named)
  const conform = compileConforming(dataSchema, options)
  const change = (body: any, to: (data: unknown) => unknown) => isEnvelope ? { code: 200, data: to(body.data) } : to(body)

  /** A getter may throw when the proof reads it. */
  const tryToProve = (body: unknown) => {
    try {
      return prove(body)
    } catch {
      return 'no'
    }
  }

  return body => {
    switch (tryToProve(body)) {
      case 'complete': return JSON.stringify(body)
      case 'lacks defaults': return JSON.stringify(change(body, fill!))
      default: return JSON.stringify(change(body, conform))
    }
  }
}

/** Makes the function that turns any data into plain data that conforms, or refuses it. */
function compileConforming (schema: TSchema, { operation, refuse, drifts }: SerializerOptions) {
  const mend = compileMending(schema, named)
  const name = schemaName(schema)
  return (data: unknown): unknown => {
    const violations: Violation[] = []
    const mended = mend(data, '', violations)
    if (violations.length > 0 && refuse) throw new ContractError(name, violations)
    if (mended === unusable) {
      if (name === 'TrackUrl' && isObject(data)) throw new UpstreamError('The source gave no URL for this track')
      throw new TypeError(new ContractError(name, violations).message)
    }
    for (const { path, message } of violations) drifts.note(operation, path, `Mended ${name}: ${path} ${message}`)
    return mended
  }
}
