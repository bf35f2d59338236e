import type { TSchema } from '@sinclair/typebox'
import { compileConforming, proofOf, type ConformingOptions } from './compile-conforming.ts'
import { compileDefaults } from './fill-defaults.ts'

/**
 * Creates the serializer of a response schema. It is compiled at its first use.
 *
 * `JSON.stringify` writes a conforming value unchanged. A value that only lacks properties with defaults gets them
 * first. A value that conforms when it is read property by property is copied. Any other value is rejected or repaired
 * (docs/reference/contract.md, What production does with a value that breaks the contract).
 *
 * @param schema the schema of the response: the envelope around data, or a body without an envelope
 * @returns throws ContractError for rejected data, UpstreamError for a TrackUrl without URL, TypeError for data that
 * cannot be repaired
 */
export function compileSerializer (schema: TSchema, options: ConformingOptions): Serialize {
  let write: Serialize | undefined
  return (body, onData) => {
    write ??= compileWriter(schema, options)
    return write(body, onData)
  }
}

/** @param onData called with the written data, which conforms apart from its extras in production */
export type Serialize = (body: any, onData?: (data: unknown) => void) => string

function compileWriter (schema: TSchema, options: ConformingOptions): Serialize {
  const isEnvelope = schema.properties?.code?.const === 200
  const dataSchema: TSchema = isEnvelope ? schema.properties.data : schema
  const prove = proofOf(schema)
  const fill = compileDefaults(dataSchema)
  const conform = compileConforming(dataSchema, options)
  const dataOf = (body: any) => isEnvelope ? body.data : body
  const withData = (data: unknown) => isEnvelope ? { code: 200, data } : data

  return (body, onData) => {
    const proven = prove(body)
    const isProven = proven !== 'no'
    const data = proven === 'complete' ? dataOf(body) : conform(dataOf(body), isProven)
    onData?.(data)
    if (proven === 'complete' || proven === 'with extras') return JSON.stringify(body)
    return JSON.stringify(withData(isProven ? fill!(data) : data))
  }
}
