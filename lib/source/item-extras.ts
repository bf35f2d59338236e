import type { TSchema } from '@sinclair/typebox'
import { extras, extrasSchemas } from '../../schemas/extras.ts'
import { resolveSchema } from '../contract/schemas-of.ts'
import { compileSafeProof } from './compile-proof.ts'
import { compileRepair, nameItem, type Violation } from './repair-value.ts'

interface Item { [extras]?: object | undefined, [name: string]: unknown }

/**
 * Property names and list indexes on the path to an item. One list is shared by all items, because most paths are never
 * written as a string.
 */
type Path = (string | number)[]
/** @returns the item, or its replacement */
type Visit = (item: Item, kind: string, path: Path) => Item
/** Visits each item in conforming data that may have extras, in an order that depends on the schema alone. */
type Walk = (value: any, visit: Visit, path: Path) => any

/** Functions for the extras of the items in the responses of one operation. */
export interface ItemExtras {
  /**
   * Returns the data with the extras that conform. Objects with invalid extras are replaced by copies without them.
   *
   * @param data that conforms apart from its extras
   * @param violations the list to which violations are added
   */
  conform<T> (data: T, violations: Violation[]): T
  /** Returns the extras of conforming data as a string; `undefined` if there are none. */
  write (data: unknown): string | undefined
  /** Restores the extras from that string in the same data, parsed from its JSON. */
  restore (data: unknown, text: string): void
}

/** Compiles the functions for extras in data of a schema; `undefined` if the schema contains no items with extras. */
export function compileExtras (schema: TSchema): ItemExtras | undefined {
  const walk = compileWalk(schema)
  if (walk === undefined) return undefined
  return {
    conform: (data, violations) => walk(data, (item, kind, path) => {
      const given = item[extras]
      if (given === undefined) return item
      const { prove, pick, find } = readers[kind]!
      if (prove(given) !== 'no') return item
      const before = violations.length
      find(given, ['', ...path, '[extras]'].join('/'), violations)
      nameItem(item, violations, before)
      return { ...item, [extras]: pick(given) }
    }, []),
    write (data) {
      const found: [place: number, object][] = []
      let place = 0
      walk(data, item => {
        if (item[extras] !== undefined) found.push([place, item[extras]])
        place++
        return item
      }, [])
      return found.length === 0 ? undefined : JSON.stringify(found)
    },
    restore (data, text) {
      const found = new Map<number, object>(JSON.parse(text))
      let place = 0
      walk(data, item => {
        const given = found.get(place++)
        if (given !== undefined) item[extras] = given
        return item
      }, [])
    }
  }
}

const readers = Object.fromEntries(Object.entries(extrasSchemas).map(([kind, schema]) => {
  const members = Object.entries<TSchema>(schema.properties)
    .map(([name, member]) => [name, compileSafeProof(member, {})] as const)
  /** Returns the properties that conform. */
  const pick = (given: any) => Object.fromEntries(members.flatMap(([name, prove]) =>
    given?.[name] !== undefined && prove(given[name]) !== 'no' ? [[name, given[name]]] : []))
  return [kind, { prove: compileSafeProof(schema, {}), find: compileRepair(schema), pick }]
}))

function compileWalk (schema: TSchema): Walk | undefined {
  if (schema.$ref !== undefined) return compileWalk(resolveSchema(schema))
  if (schema.type === 'array') return walkList(compileWalk(schema.items))
  return schema.type === 'object' ? walkObject(schema) : undefined
}

function walkList (walkItem: Walk | undefined): Walk | undefined {
  return walkItem && ((list: unknown[], visit, path) => {
    let copy = list
    for (let i = 0; i < list.length; i++) {
      path.push(i)
      const item = walkItem(list[i], visit, path)
      path.pop()
      if (item === list[i]) continue
      if (copy === list) copy = list.slice()
      copy[i] = item
    }
    return copy
  })
}

function walkObject ({ title = '', properties }: TSchema): Walk | undefined {
  const members = Object.entries<TSchema>(properties).flatMap(([name, member]) => {
    const walk = compileWalk(member)
    return walk === undefined ? [] : [{ name, walk }]
  })
  const mayHave = Object.hasOwn(extrasSchemas, title)
  if (members.length === 0 && !mayHave) return undefined
  return (object: Item, visit, path) => {
    let copy = mayHave ? visit(object, title, path) : object
    for (const { name, walk } of members) {
      const value = object[name]
      if (value === undefined) continue
      path.push(name)
      const walked = walk(value, visit, path)
      path.pop()
      if (walked === value) continue
      if (copy === object) copy = { ...object }
      copy[name] = walked
    }
    return copy
  }
}
