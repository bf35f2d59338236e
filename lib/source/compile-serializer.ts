import type { TSchema } from '@sinclair/typebox'
import { compileConforming, compileSafeProof, named, type ConformingOptions } from './compile-conforming.ts'
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
export function compileSerializer (schema: TSchema, options: ConformingOptions): (body: any) => string {
  let write: ((body: any) => string) | undefined
  return body => {
    write ??= compileWriter(schema, options)
    return write(body)
  }
}

function compileWriter (schema: TSchema, options: ConformingOptions): (body: any) => string {
  const isEnvelope = schema.properties?.code?.const === 200
  const dataSchema: TSchema = isEnvelope ? schema.properties.data : schema
  const prove = compileSafeProof(schema)
  const fill = compileDefaults(dataSchema, named)
  const conform = compileConforming(dataSchema, options)
  const change = (body: any, to: (data: unknown) => unknown) =>
    isEnvelope ? { code: 200, data: to(body.data) } : to(body)

  return body => {
    switch (prove(body)) {
      case 'complete': return JSON.stringify(body)
      case 'lacks defaults': return JSON.stringify(change(body, fill!))
      default: return JSON.stringify(change(body, conform))
    }
  }
}
