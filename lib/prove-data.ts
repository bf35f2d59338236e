import { createRequire } from 'node:module'
import type { TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import type { Schema, build } from 'fast-json-stringify'
import { schemaName, schemas, wireSchema } from '../schemas/index.ts'
import { compileProof, type Proven } from './compile-proof.ts'

/** The serializer with its Ajv takes longer to load than all else here, and few processes ever need it. */
const require = createRequire(import.meta.url)

const wireSchemas: TSchema[] = schemas.map(schema => wireSchema(schema))
const wireSchemasById = Object.fromEntries(wireSchemas.map(schema => [schema.$id!, schema as TSchema & Schema]))

/** Where and how a value breaks its schema: `/artists/0/name Expected string`. */
export interface Violation {
  /** Name of the schema, for example `Track[]`. */
  readonly schema: string
  /** JSON pointer into the value; `/` is the value itself. */
  readonly path: string
  readonly message: string
}

/** What can be done with the data of one operation. */
export interface DataProof {
  /** Whether a value conforms and is plain data, as almost all are. */
  prove: (value: unknown) => Proven
  /** The first place where an adapter's value breaks the contract. */
  violation: (value: unknown) => Violation | undefined
  /** Writes a value that is proven: defaults filled in. */
  serialize: (value: unknown) => string
  /**
   * Writes what can be written of any value: what does not belong is dropped, `null` and scalars are converted. Text is no boolean
   * (`'false'` would be `true`), and what is no scalar is no text (that of a function is its source).
   *
   * @throws when what is left would still break the contract
   */
  repair: (value: unknown) => string
}

/**
 * The proof and the serializer of one schema (protocol.md, Schemas). Each part is compiled when it is needed first:
 * most operations never need more than `prove`.
 */
export function compileData (schema: TSchema): DataProof {
  let adapterCheck: TypeCheck<TSchema> | undefined
  let wireCheck: TypeCheck<TSchema> | undefined
  let write: ((value: unknown) => string) | undefined

  const serialize = (value: unknown) => {
    write ??= (require('fast-json-stringify') as typeof build)(schema as TSchema & Schema, { schema: wireSchemasById })
    return write(value)
  }

  return {
    prove: compileProof(schema, wireSchemasById),
    violation (value) {
      adapterCheck ??= TypeCompiler.Compile(schema, schemas)
      if (adapterCheck.Check(value)) return undefined
      const { path, message } = adapterCheck.Errors(value).First()!
      return { schema: schemaName(schema), path: path || '/', message }
    },
    serialize,
    repair (value) {
      if (value === null || value === undefined) throw new TypeError(`${schemaName(schema)} is missing`)
      const text = serialize(value)
      const written: unknown = JSON.parse(text)
      wireCheck ??= TypeCompiler.Compile(schema, wireSchemas)
      if (!wireCheck.Check(written) || !isMeantBy(value, written)) throw new TypeError(`${schemaName(schema)} is beyond repair`)
      return text
    }
  }
}

/** Whether what the serializer wrote says what it was given: it makes text of anything, and a boolean too. */
function isMeantBy (given: any, written: any): boolean {
  if (given === null || given === undefined) return true
  if (typeof written === 'object' && written !== null) {
    const source = typeof given.toJSON === 'function' ? given.toJSON() : given
    return Object.keys(written).every(key => isMeantBy(source[key], written[key]))
  }
  const [from, to] = [typeof given, typeof written]
  if (from === to) return true
  return to === 'boolean' ? from === 'number' : from !== 'object' && from !== 'function'
}
