import type { TSchema } from '@sinclair/typebox'
import {
  AlbumExtrasSchema, ArtistExtrasSchema, PlaylistExtrasSchema, TrackExtrasSchema
} from '../../schemas/extras.ts'
import { schemas } from '../../schemas/index.ts'

const described = [
  ...schemas, TrackExtrasSchema, AlbumExtrasSchema, ArtistExtrasSchema, PlaylistExtrasSchema
]
const byId = new Map<string, TSchema>(schemas.map(schema => [schema.$id!, schema]))

const sections = {
  Track: ['Track', 'TrackQuality', 'TrackUrl', 'TrackLyrics', 'TrackPage'],
  Album: ['Album', 'AlbumDetail'],
  Artist: ['Artist', 'ArtistDetail'],
  Playlist: ['Playlist', 'PlaylistDetail', 'PlaylistCategory', 'PlaylistSortOption', 'Creator'],
  Toplist: ['ToplistGroup', 'Toplist', 'ToplistTrackSummary'],
  Search: ['SearchSuggest'],
  Status: ['Status', 'ServiceStatus', 'QualityOption'],
  Account: ['UserProfile', 'MutationSuccess', 'MutationStatus'],
  Error: ['ErrorResponse'],
  Extras: ['TrackExtras', 'AlbumExtras', 'ArtistExtras', 'PlaylistExtras']
}

function linkTo (name: string): string {
  const [section] = Object.entries(sections).find(([, titles]) => titles.includes(name))!
  return `[${name}](#${section.toLowerCase()})`
}

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

/** The rows of a schema, below one that names it. */
function rowsOf (title: string): string[] {
  const schema = described.find(schema => schema.title === title)!
  const base = baseOf(schema)
  return [
    `| **${title}** | ${base ? `all of ${linkTo(base.title!)}, and:` : ''} | ${schema.description} |  |`,
    ...Object.entries<TSchema>(schema.properties).filter(([name]) => base?.properties[name] === undefined)
      .map(([name, member]) => rowOf(name, member, schema.required?.includes(name) ?? false))
  ]
}

/** Pages differ in their items alone. */
const isRepeated = (title: string) => title.endsWith('Page') && title !== 'TrackPage'

/** docs/reference/data.md, made from the schemas. */
export function describeData (): string {
  const inSections = Object.values(sections).flat()
  const missing = described.map(({ title }) => title!)
    .filter(title => !isRepeated(title) && !inSections.includes(title))
  if (missing.length > 0) throw new Error(`No section has ${missing.join(', ')}`)
  return [
    '# What each member means',
    '',
    'Made from the schemas, as the texts that editors show at the types of the package. Adapters may leave optional',
    'members out, or give `undefined`; clients then get the default, where there is one. [The contract](contract.md)',
    'says what else an answer keeps, and [answers.md](answers.md) has answers as JSON. `PlaylistPage`, `ArtistPage`',
    'and `AlbumPage` are as [TrackPage](#track), with other items. `/v1` never sends',
    '[extras](adapter.md#extras).',
    ...Object.entries(sections).flatMap(([section, titles]) => [
      '', `## ${section}`, '', '| Member | Type | Meaning | Default |', '|---|---|---|---|', ...titles.flatMap(rowsOf)
    ]),
    ''
  ].join('\n')
}
