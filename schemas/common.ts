import { Type, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'

/** `$id` of a named schema. The prefix keeps ours apart from a host's own `Track` or `Status`. */
export const schemaId = (name: string) => `source-origin:${name}`

/** The contract's name of a schema or of a reference to one: `Track`, `Track[]`. */
export function schemaName (schema: TSchema): string {
  if (schema.type === 'array') return `${schemaName(schema.items)}[]`
  return String(schema.$id ?? schema.$ref).replace(schemaId(''), '')
}

/** A named schema without other members (protocol.md, Schemas). */
export const named = <P extends TProperties>(name: string, description: string, properties: P) =>
  Type.Object(properties, { $id: schemaId(name), title: name, description, additionalProperties: false })

/** A reference to the named schema whose values are `T`. */
export const ref = <T>(name: string) => Type.Unsafe<T>(Type.Ref(schemaId(name)))

const requiredOf = (schema: TSchema): string[] => schema.required ?? []

/**
 * The parameters of one operation. One with a default always reaches the adapter, so its type is not
 * optional, though a client may leave it out.
 */
export function parameters<P extends TProperties> (properties: P): TObject<P> {
  const schema = Type.Object<TProperties>(properties, { additionalProperties: false })
  const required = requiredOf(schema).filter(name => !('default' in properties[name]!))
  return { ...schema, required } as TSchema as TObject<P>
}

/**
 * A named schema as clients see it: a member with a default is always there, while adapters may leave it out
 * (protocol.md, Schemas).
 */
export function wireSchema<S extends TObject> (schema: S): S {
  const required = Object.keys(schema.properties)
    .filter(name => requiredOf(schema).includes(name) || 'default' in schema.properties[name]!)
  return { ...schema, required }
}

export const Text = (description: string) => Type.String({ description })
export const Flag = (description: string) => Type.Boolean({ description })
export const Count = (description: string) => Type.Integer({ minimum: 0, description })
export const Amount = (description: string) => Type.Number({ minimum: 0, description })
export const UnixTime = (description: string) =>
  Type.Optional(Type.Union([Type.Number(), Type.Null()], { description: `${description}, Unix time in milliseconds; null = unknown` }))
export const Bitrate = (options: { default?: null } = {}) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'bit/s; null = unknown', ...options }))
export const OptionalText = (description: string, options: { default?: string } = {}) =>
  Type.Optional(Type.String({ description, ...options }))

/** Parameters that several operations share (protocol.md, Operations). */
export const RequiredText = (description: string) => Type.String({ minLength: 1, description })
export const Id = (of: string) => RequiredText(`Id of the ${of}`)
export const Keyword = RequiredText('What to search for')
export const Offset = Type.Integer({ minimum: 0, default: 0, description: 'Number of items to skip' })
export const Limit = (byDefault: number, maximum: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description: 'Number of items on the page' })
export const TrackLimit =
  Type.Integer({ minimum: -1, maximum: 1000, default: -1, description: 'Number of tracks at most; -1 = the source decides' })
export const DesiredStatus = Type.Boolean({ description: 'The state wanted: true = favourite' })

/** One page of a longer list. */
export const page = <T>(item: string) => named(`${item}Page`, `One page of a list of ${item} values`, {
  items: Type.Array(ref<T>(item), { description: 'The items of this page, in order' }),
  offset: Count('Number of items before this page'),
  limit: Type.Integer({ minimum: 1, description: 'Number of items asked for' }),
  hasMore: Flag('Whether another page follows')
})

export const MutationSuccessSchema = named('MutationSuccess', 'Outcome of a change', {
  success: Flag('false when the upstream refused the change')
})
export type MutationSuccess = Static<typeof MutationSuccessSchema>

export const MutationStatusSchema = named('MutationStatus', 'Outcome of a change of a favourite', {
  success: Flag('false when the upstream refused the change'),
  status: Flag('The state after the call: true = favourite')
})
export type MutationStatus = Static<typeof MutationStatusSchema>

export const ErrorResponseSchema = named('ErrorResponse', 'Every error, whatever its status', {
  code: Type.Integer({ description: 'The HTTP status, or the number that the source gives the error' }),
  message: Text('What went wrong, for people'),
  data: Type.Null({ description: 'Always null' })
})
export type ErrorResponse = Static<typeof ErrorResponseSchema>

export const mutationSuccess = ref<MutationSuccess>('MutationSuccess')
export const mutationStatus = ref<MutationStatus>('MutationStatus')
