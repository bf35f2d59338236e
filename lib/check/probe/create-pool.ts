import type { TSchema } from '@sinclair/typebox'
import { isObject } from '../../options/is-object.ts'
import { schemaName } from '../../../schemas/common.ts'
import type { Album, Artist, Playlist, PlaylistCategory, Toplist, Track } from '../../../schemas/index.ts'
import { resolveSchema } from '../../contract/schemas-of.ts'

/** The items of earlier responses by id, in the order in which they were received. */
export interface Pool {
  readonly track: Map<string, Track>
  readonly artist: Map<string, Artist>
  readonly album: Map<string, Album>
  readonly playlist: Map<string, Playlist>
  readonly toplist: Map<string, Toplist>
  readonly category: Map<string, PlaylistCategory>
}

const kinds: Readonly<Record<string, keyof Pool>> = {
  Track: 'track',
  Artist: 'artist',
  Album: 'album',
  Playlist: 'playlist',
  Toplist: 'toplist',
  PlaylistCategory: 'category'
}

export const createPool = (): Pool =>
  Object.fromEntries(Object.values(kinds).map(kind => [kind, new Map()])) as unknown as Pool

/** Returns the kind of the items of a page, or of the songs among suggestions. */
export function kindOf (data: TSchema): keyof Pool {
  const { items, songs } = resolveSchema(data).properties
  return kinds[schemaName((items ?? songs).items)]!
}

type Visit = (name: string, object: Record<string, unknown>, path: string) => void

/** Calls `visit` for every object of a named schema in a value. Values that violate their schema are skipped. */
export function walkData (data: TSchema, value: unknown, visit: Visit, path = '/data'): void {
  const schema = resolveSchema(data)
  if (Array.isArray(value)) {
    if (schema.type === 'array') value.forEach((item, index) => walkData(schema.items, item, visit, `${path}/${index}`))
    return
  }
  if (!isObject(value) || schema.type !== 'object') return
  visit(schemaName(schema), value, path)
  for (const [name, rule] of Object.entries<TSchema>(schema.properties)) {
    walkData(rule, value[name], visit, `${path}/${name}`)
  }
}

/** Adds every item that has an id. */
export function addToPool (pool: Pool, data: TSchema, value: unknown): void {
  walkData(data, value, (name, object) => {
    const kind = kinds[name]
    const id = kind === 'category' ? object.key : object.id
    if (kind === undefined || typeof id !== 'string' || id === '' || pool[kind].has(id)) return
    const known: Map<string, unknown> = pool[kind]
    known.set(id, object)
  })
}
