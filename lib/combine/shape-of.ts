import type { TObject, TSchema } from '@sinclair/typebox'
import { schemaName } from '../../schemas/common.ts'
import type { AdapterMethod } from '../contract/operations.ts'
import { resolveSchema, schemasOf } from '../contract/schemas-of.ts'

/** The ways to merge responses of several sources. Items are named by their schemas. */
export type Shape =
  | { readonly kind: 'page', readonly item: string, readonly most: number }
  | { readonly kind: 'list', readonly item: string }
  /** Several lists by their property names. */
  | { readonly kind: 'lists', readonly items: Readonly<Record<string, string>> }
  /** An item with its tracks. */
  | { readonly kind: 'detail', readonly item: string }
  | { readonly kind: 'item', readonly item: string }

const isList = ({ type }: TSchema) => type === 'array'

const shapes = new Map<AdapterMethod, Shape>()

/** Returns the shape of an operation's response, derived from its schemas. */
export function shapeOf (method: AdapterMethod): Shape {
  const known = shapes.get(method) ?? findShape(method)
  shapes.set(method, known)
  return known
}

function findShape (method: AdapterMethod): Shape {
  const { data, parameters } = schemasOf(method)
  if (isList(data)) return { kind: 'list', item: schemaName(data.items) }
  const { properties } = resolveSchema(data) as TObject
  const { items, tracks } = properties
  if (items !== undefined) {
    return { kind: 'page', item: schemaName(items.items), most: parameters.properties.limit!.maximum }
  }
  if (Object.values(properties).every(isList)) {
    return {
      kind: 'lists',
      items: Object.fromEntries(Object.entries(properties).map(([name, list]) => [name, schemaName(list.items)]))
    }
  }
  return { kind: tracks === undefined ? 'item' : 'detail', item: schemaName(data) }
}
