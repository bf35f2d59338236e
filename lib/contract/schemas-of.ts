import type { TObject, TSchema } from '@sinclair/typebox'
import { schemas } from '../../schemas/index.ts'
import { operationSchemas } from '../../schemas/operation-schemas.ts'
import type { AdapterMethod, ParameterNames } from './operations.ts'

/** The schemas of each operation. A missing method or parameter is a compile error. */
type OperationSchemas = {
  readonly [M in AdapterMethod]: {
    readonly summary: string
    readonly description: string
    readonly parameters: TSchema & { readonly properties: Record<ParameterNames<M>[number], TSchema> }
    readonly data: TSchema
  }
}

/** A schema of an operation that is not in the table is a compile error. */
type NoForeign<T> = [Exclude<keyof T, AdapterMethod>] extends [never] ? T : never

const joined: NoForeign<typeof operationSchemas> = operationSchemas satisfies OperationSchemas

/** Returns the summary, description, parameters and data of an operation. */
export const schemasOf = (
  method: AdapterMethod
): { summary: string, description: string, parameters: TObject, data: TSchema } => joined[method]

const named: Readonly<Record<string, TSchema>> = Object.fromEntries(schemas.map(schema => [schema.$id!, schema]))

/** Returns the schema that a reference points to. */
export const resolveSchema = (schema: TSchema): TSchema =>
  schema.$ref === undefined ? schema : named[schema.$ref]!
