import type { TSchema } from '@sinclair/typebox'
import { resolveSchema } from '../contract/schemas-of.ts'

type Fill = (value: any) => any

/**
 * Compiles a function that adds missing properties with defaults to a proven value. An object or list that lacks a
 * property is replaced by a copy. All others are shared with the input value, which is not changed.
 *
 * @param schema the schema, or a reference to one
 * @returns `undefined` if the schema has no defaults
 */
export function compileDefaults (schema: TSchema): Fill | undefined {
  if (schema.$ref !== undefined) return compileDefaults(resolveSchema(schema))
  if (schema.type === 'array') return fillList(compileDefaults(schema.items))
  return schema.type === 'object' ? fillObject(schema) : undefined
}

function fillList (fillItem: Fill | undefined): Fill | undefined {
  return fillItem && ((list: unknown[]) => {
    let copy = list
    for (let i = 0; i < list.length; i++) {
      const item = fillItem(list[i])
      if (item === list[i]) continue
      if (copy === list) copy = list.slice()
      copy[i] = item
    }
    return copy
  })
}

function fillObject ({ properties }: TSchema): Fill | undefined {
  const members = Object.entries<TSchema>(properties).flatMap(([name, member]) => {
    const fill = compileDefaults(member)
    return fill === undefined && member.default === undefined ? [] : [{ name, byDefault: member.default, fill }]
  })
  if (members.length === 0) return undefined
  return (object: Record<string, unknown>) => {
    let copy = object
    for (const { name, byDefault, fill } of members) {
      const value = object[name]
      const filled = value === undefined ? byDefault : fill === undefined ? value : fill(value)
      if (filled === value) continue
      if (copy === object) copy = { ...object }
      copy[name] = filled
    }
    return copy
  }
}
