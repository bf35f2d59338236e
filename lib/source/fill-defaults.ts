import type { TSchema } from '@sinclair/typebox'

type Fill = (value: any) => any

/**
 * Makes the function that gives a proven value its missing members with defaults. An object or list that lacks
 * something is replaced by a copy. All others are shared with the given value, which is not changed.
 *
 * @param schema the schema, or a reference to one
 * @param named the named schemas by `$id`
 * @returns `undefined` when nothing in the schema has a default
 */
export function compileDefaults (schema: TSchema, named: Readonly<Record<string, TSchema>>): Fill | undefined {
  if (schema.$ref !== undefined) return compileDefaults(named[schema.$ref]!, named)
  if (schema.type === 'array') return fillList(compileDefaults(schema.items, named))
  return schema.type === 'object' ? fillObject(schema, named) : undefined
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

function fillObject ({ properties }: TSchema, named: Readonly<Record<string, TSchema>>): Fill | undefined {
  const members = Object.entries<TSchema>(properties).flatMap(([name, member]) => {
    const fill = compileDefaults(member, named)
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
