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

/** A detail has all members of what it is a detail of, which are not said again. */
const baseOf = ({ title }: TSchema): TSchema | undefined =>
  title!.endsWith('Detail') ? schemas.find(schema => `${schema.title}Detail` === title) : undefined

/** Pages differ in their items alone. */
const isRepeated = ({ title }: TSchema) => title!.endsWith('Page') && title !== 'TrackPage'

const shown = described.filter(schema => !isRepeated(schema))

/** docs/reference/data.md, made from the schemas. */
export const describeData = (): string => [
  '# What each member means',
  '',
  'Made from the schemas, as the texts that editors show at the types of the package. Adapters may leave optional',
  'members out, or give `undefined`; clients then get the default, where there is one. What else an answer keeps is in',
  '[the contract](contract.md#schemas), and [answers.md](answers.md) has answers as JSON. `PlaylistPage`, `ArtistPage`',
  'and `AlbumPage` are as [TrackPage](#trackpage), with other items. The last four are',
  '[extras](../guide/adapter.md#extras), which `/v1` never sends.',
  '',
  `**Contents**: ${shown.map(({ title }) => linkTo(title!)).join(' · ')}`,
  ...shown.flatMap((schema: TSchema) => [
    '',
    `## ${schema.title}`,
    '',
    `${schema.description}.${baseOf(schema) ? ` It has all members of ${linkTo(baseOf(schema)!.title!)}, and:` : ''}`,
    '',
    '| Member | Type | Meaning | Default |',
    '|---|---|---|---|',
    ...Object.entries<TSchema>(schema.properties).filter(([name]) => baseOf(schema)?.properties[name] === undefined)
      .map(([name, member]) => rowOf(name, member, schema.required?.includes(name) ?? false))
  ]),
  ''
].join('\n')
