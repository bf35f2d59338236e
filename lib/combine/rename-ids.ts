import type { TSchema } from '@sinclair/typebox'
import { extras, extrasSchemas } from '../../schemas/extras.ts'
import { schemas } from '../../schemas/index.ts'
import { unawaited } from '../async/unawaited.ts'

export type Rename = (id: string) => string

/** What becomes of an answer. */
export interface Changes {
  readonly id: Rename
  /** Changes an object, which is a copy. @param schema its name */
  readonly object?: ((object: any, schema: string) => void) | undefined
}

type Walk = (value: any, changes: Changes) => unknown

const named = new Map<string, TSchema>(schemas.map(schema => [schema.$id!, schema]))

/** Members that name something of the source, by the schemas where others have another meaning of the name. */
const isId = (name: string, title: string | undefined): boolean =>
  ['id', 'userId', 'mvId'].includes(name) || (title === 'PlaylistCategory' && name === 'key')

/**
 * Makes the function that gives each id in an answer of a schema another text, in a copy; `undefined` where the schema
 * has no ids. What breaks the contract is left as it is: who asks for the answer looks at that.
 */
export function compileRename (schema: TSchema): Walk | undefined {
  if (schema.$ref !== undefined) return compileRename(named.get(schema.$ref)!)
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

/** Numbers are mended to texts in answers, so they are ids too. */
const renameText: Walk = (id, changes) =>
  typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? changes.id(String(id)) : id

function copyOf (object: any, names: readonly (string | symbol)[]): any {
  const copy = { ...object }
  // Objects of a class may have members that are inherited getters.
  if (![Object.prototype, null].includes(Object.getPrototypeOf(object))) {
    for (const name of names) if (object[name] !== undefined) copy[name] = object[name]
  }
  return copy
}
