import type { TSchema } from '@sinclair/typebox'
import { compileConforming, named, proofOf, type ConformingOptions } from './compile-conforming.ts'
import { compileDefaults } from './fill-defaults.ts'

/**
 * Makes the serializer of a response schema, compiled when it is first used.
 *
 * A value that conforms is written by `JSON.stringify` as it is. Before that, one that only lacks members with defaults
 * gets them, one that conforms when it is read member by member is copied, and any other is refused or mended
 * (docs/reference/contract.md, What production does with a value that breaks the contract).
 *
 * @param schema what is sent: the envelope around data, or a body without an envelope
 * @returns throws ContractError for data that is refused, UpstreamError for a TrackUrl without URL, TypeError for data
 * that cannot be mended
 */
export function compileSerializer (schema: TSchema, options: ConformingOptions): Serialize {
  let write: Serialize | undefined
  return (body, onData) => {
    write ??= compileWriter(schema, options)
    return write(body, onData)
  }
}

/** @param onData gets the data that is written, which conforms apart from its extras in production */
export type Serialize = (body: any, onData?: (data: unknown) => void) => string

function compileWriter (schema: TSchema, options: ConformingOptions): Serialize {
  const isEnvelope = schema.properties?.code?.const === 200
  const dataSchema: TSchema = isEnvelope ? schema.properties.data : schema
  const prove = proofOf(schema)
  const fill = compileDefaults(dataSchema, named)
  const conform = compileConforming(dataSchema, options)
  const dataOf = (body: any) => isEnvelope ? body.data : body
  const withData = (data: unknown) => isEnvelope ? { code: 200, data } : data

  return (body, onData) => {
    const proven = prove(body)
    const isProven = proven !== 'no'
    const data = conform(dataOf(body), isProven)
    onData?.(data)
    if (proven === 'complete') return JSON.stringify(body)
    return JSON.stringify(withData(isProven ? fill!(data) : data))
  }
}
