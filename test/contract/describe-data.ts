import type { TSchema } from '@sinclair/typebox'
import {
  AlbumExtrasSchema, ArtistExtrasSchema, PlaylistExtrasSchema, TrackExtrasSchema
} from '../../schemas/extras.ts'
import { schemas } from '../../schemas/index.ts'

const described = [
  ...schemas, TrackExtrasSchema, AlbumExtrasSchema, ArtistExtrasSchema, PlaylistExtrasSchema
]
const byId = new Map<string, TSchema>(schemas.map(schema => [schema.$id!, schema]))
const linkTo = (name: string) => `[${name}](#${name.toLowerCase()})`

function typeOf ({ type, $ref, anyOf, items, const: value, properties }: TSchema): string {
  if (properties !== undefined) return `\`{ ${Object.keys(properties).join(', ')} }\``
  if ($ref !== undefined) return linkTo(byId.get($ref)!.title!)
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (value !== undefined) return `\`${JSON.stringify(value)}\``
  return type === 'array' ? `list of ${typeOf(items)}` : type
}

const rowOf = (name: string, schema: TSchema, isRequired: boolean): string => {
  const meaning = schema.description ?? byId.get(schema.$ref)!.description
  const usual = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``
  return `| \`${name}\`${isRequired ? '' : ' (optional)'} | ${typeOf(schema)} | ${meaning} | ${usual} |`
}

/** docs/reference/data.md, made from the schemas. */
export const describeData = (): string => [
  '# What each member means',
  '',
  'Made from the schemas, as the texts that editors show at the types of the package. Adapters may leave optional',
  'members out, or give `undefined`; clients then get the default, where there is one. What else an answer keeps is in',
  '[the contract](contract.md#schemas). The last four are [extras](../guide/adapter.md#extras), which `/v1` never',
  'sends.',
  ...described.flatMap(({ title, description, properties, required = [] }: TSchema) => [
    '',
    `## ${title}`,
    '',
    `${description}.`,
    '',
    '| Member | Type | Meaning | Default |',
    '|---|---|---|---|',
    ...Object.entries<TSchema>(properties).map(([name, schema]) => rowOf(name, schema, required.includes(name)))
  ]),
  ''
].join('\n')
