import type { TSchema } from '@sinclair/typebox'
import { extras, extrasSchemas } from '../../schemas/extras.ts'
import { unawaited } from '../async/unawaited.ts'
import { resolveSchema } from '../contract/schemas-of.ts'

export type Rename = (id: string) => string

/** The changes that are applied to a response. */
export interface Changes {
  readonly id: Rename
  /** Modifies an object, which is a copy. @param schema its name */
  readonly object?: ((object: any, schema: string) => void) | undefined
}

type Walk = (value: any, changes: Changes) => unknown

/** Returns whether a property is an id. Some names are ids in certain schemas only. */
const isId = (name: string, title: string | undefined): boolean =>
  ['id', 'userId', 'mvId'].includes(name) || (title === 'PlaylistCategory' && name === 'key')

/**
 * Compiles a function that replaces each id in a copy of a response; `undefined` if the schema has no ids. Values that
 * violate the schema stay unchanged, since the caller validates the response.
 */
export function compileRename (schema: TSchema): Walk | undefined {
  if (schema.$ref !== undefined) return compileRename(resolveSchema(schema))
  if (schema.type === 'array') {
    const walk = compileRename(schema.items)
    return walk && ((list, changes) => Array.isArray(list) ? list.map(item => walk(item, changes)) : list)
  }
  return schema.type === 'object' ? compileObject(schema) : undefined
}

function compileObject ({ title, properties }: TSchema): Walk | undefined {
  const members: [name: string | symbol, walk: Walk][] = []
  for (const [name, member] of Object.entries<TSchema>(properties)) {
    const walk = isId(name, title) ? renameText : compileRename(member)
    if (walk !== undefined) members.push([name, walk])
  }
  const more = Object.hasOwn(extrasSchemas, title ?? '') ? compileRename(extrasSchemas[title!]!) : undefined
  if (more !== undefined) members.push([extras, more])
  if (members.length === 0) return undefined
  const names = [...Object.keys(properties), extras]
  return (value, changes) => {
    const object = typeof value?.toJSON === 'function' ? value.toJSON() : value
    if (typeof object !== 'object' || object === null || unawaited(object) !== undefined) return object
    const copy = copyOf(object, names)
    for (const [name, walk] of members) if (copy[name] !== undefined) copy[name] = walk(copy[name], changes)
    changes.object?.(copy, title!)
    return copy
  }
}

/** Numbers are coerced to strings in responses, so they are ids as well. */
const renameText: Walk = (id, changes) =>
  typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? changes.id(String(id)) : id

function copyOf (object: any, names: readonly (string | symbol)[]): any {
  const copy = { ...object }
  // Objects of a class may have inherited getters.
  if (![Object.prototype, null].includes(Object.getPrototypeOf(object))) {
    for (const name of names) if (object[name] !== undefined) copy[name] = object[name]
  }
  return copy
}
