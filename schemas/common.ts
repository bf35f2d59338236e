import { Type, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'

/** Returns the `$id` of a named schema. The prefix avoids clashes with an app's own `Track` or `Status`. */
const schemaId = (name: string) => `source-origin:${name}`

/** Returns the contract's name of a schema or of a reference to one: `Track`, `Track[]`. */
export function schemaName (schema: TSchema): string {
  if (schema.type === 'array') return `${schemaName(schema.items)}[]`
  return String(schema.$id ?? schema.$ref).replace(schemaId(''), '')
}

/** Creates a named schema that allows no other properties (docs/reference/contract.md, Schemas). */
export const named = <P extends TProperties>(name: string, description: string, properties: P) =>
  Type.Object(properties, { $id: schemaId(name), title: name, description, additionalProperties: false })

/**
 * The second base of each schema's interface: with a single base, TypeScript's errors list the properties, not the
 * name.
 */
export interface Resource {}

/** The type of an adapter's value for a schema: `undefined` in an optional property counts as omitted. */
export type Data<S extends TSchema, T = Static<S>> =
  { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] }

/**
 * Creates a reference to a named schema. `T` is its interface, so that editors show its name and not its properties.
 */
export const ref = <T>(schema: TSchema & { static: T }) => Type.Unsafe<T>(Type.Ref(schema.$id!))

const requiredOf = (schema: TSchema): string[] => schema.required ?? []

/**
 * Creates the schema of an operation's parameters. Clients may omit a parameter with a default, but the adapter always
 * receives it, so its type is not optional.
 */
export function parameters<P extends TProperties> (properties: P): TObject<P> {
  const schema = Type.Object<TProperties>(properties, { additionalProperties: false })
  const required = requiredOf(schema).filter(name => !('default' in properties[name]!))
  return { ...schema, required } as TSchema as TObject<P>
}

/**
 * Returns a named schema in the form for clients: properties with a default are required, although adapters may omit
 * them (docs/reference/contract.md, Schemas).
 */
export function wireSchema<S extends TObject> (schema: S): S {
  const required = Object.keys(schema.properties)
    .filter(name => requiredOf(schema).includes(name) || 'default' in schema.properties[name]!)
  return { ...schema, required }
}

/** The title of a number that is a Unix time. */
export const unixTime = 'Unix time in milliseconds'

export const Text = (description: string) => Type.String({ description })
export const Flag = (description: string) => Type.Boolean({ description })
export const Count = (description: string) => Type.Integer({ minimum: 0, description })
export const Amount = (description: string) => Type.Number({ minimum: 0, description })
export const UnixTime = (description: string) =>
  Type.Optional(Type.Union([Type.Number({ title: unixTime }), Type.Null()], {
    description: `${description}, Unix time in milliseconds; null = unknown`
  }))
export const Bitrate = (options: { default?: null } = {}) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Bit rate in bit/s; null = unknown', ...options
  }))
export const OptionalText = (description: string, options: { default?: string } = {}) =>
  Type.Optional(Type.String({ description, ...options }))

/** Parameters that several operations share (docs/reference/contract.md, Parameters). */
export const RequiredText = (description: string) => Type.String({ minLength: 1, description })
/** The maximum length of an id in a parameter in bytes, and therefore also in characters. */
export const longestId = 1024
export const Id = (of: string) =>
  Type.String({ minLength: 1, maxLength: longestId, description: `Id of the ${of}` })
export const Keyword = RequiredText('What to search for')
export const Offset = Type.Integer({ minimum: 0, default: 0, description: 'Number of items to skip' })
export const Limit = (byDefault: number, maximum: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description: 'Number of items on the page' })
export const TrackLimit = Type.Integer({
  minimum: -1, maximum: 1000, default: -1, description: 'Number of tracks at most; -1 = the source decides'
})
export const DesiredStatus = Type.Boolean({ description: 'The state wanted: true = favourite' })

/** Creates the schema of one page of a longer list. `T` is the interface of its items. */
export const page = <T>(item: TSchema & { static: T }) => {
  const name = schemaName(item)
  return named(`${name}Page`, `One page of a list of ${name} values`, {
    items: Type.Array(ref<T>(item), { description: 'The items of this page, in order' }),
    offset: Count('Number of items before this page'),
    limit: Type.Integer({ minimum: 1, description: 'Number of items asked for' }),
    hasMore: Flag('Whether another page follows')
  })
}

/** Creates the schema of a successful response around its data (docs/reference/contract.md, Envelope). */
export const enveloped = <S extends TSchema>(data: S) =>
  Type.Object({ code: Type.Literal(200), data }, { description: 'Success', additionalProperties: false })
