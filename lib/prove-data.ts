import type { TObject, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import buildSerializer, { type Schema } from 'fast-json-stringify'
import { schemaName, schemas, wireSchema } from '../schemas/index.ts'

const wireSchemas: TSchema[] = schemas.map(schema => wireSchema<TObject>(schema))
const wireSchemasById = Object.fromEntries(wireSchemas.map(schema => [schema.$id!, schema as TSchema & Schema]))

/** Where and how a value breaks its schema: `/artists/0/name Expected string`. */
export interface Violation {
  /** Name of the schema, for example `Track[]`. */
  readonly schema: string
  /** JSON pointer into the value; `/` is the value itself. */
  readonly path: string
  readonly message: string
}

/** What can be done with the data of one operation; compiled once. */
export interface DataProof {
  /** The first place where an adapter's value breaks the contract. */
  violation: (value: unknown) => Violation | undefined
  /** Writes a value that keeps the contract: defaults filled in. */
  serialize: (value: unknown) => string
  /**
   * Writes what can be written of a value that breaks the contract: what does not belong is dropped, scalars are converted.
   *
   * @throws when what is left would still break the contract
   */
  repair: (value: unknown) => string
}

/** Compiles the proof and the serializer of one schema (protocol.md, Schemas). */
export function compileData (schema: TSchema): DataProof {
  const adapterCheck = TypeCompiler.Compile(schema, schemas)
  const wireCheck = TypeCompiler.Compile(schema, wireSchemas)
  const serialize = buildSerializer(schema as TSchema & Schema, { schema: wireSchemasById })

  return {
    violation (value) {
      if (adapterCheck.Check(value)) return undefined
      const { path, message } = adapterCheck.Errors(value).First()!
      return { schema: schemaName(schema), path: path || '/', message }
    },
    serialize,
    repair (value) {
      if (value === null || value === undefined) throw new TypeError(`${schemaName(schema)} is missing`)
      const text = serialize(value)
      if (!wireCheck.Check(JSON.parse(text))) throw new TypeError(`${schemaName(schema)} is beyond repair`)
      return text
    }
  }
}
