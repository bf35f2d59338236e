import { types } from 'node:util'
import { compileFunction } from 'node:vm'
import type { TSchema } from '@sinclair/typebox'

/** A value that conforms as it is, one that only lacks members with defaults, or anything else. */
export type Proven = 'complete' | 'lacks defaults' | 'no'

/** What the generated code understands of each type: a schema that says more must not be taken for proven. */
const understood: Readonly<Record<string, readonly string[]>> = {
  object: ['type', 'properties', 'required', 'additionalProperties'],
  array: ['type', 'items'],
  string: ['type', 'const'],
  boolean: ['type'],
  integer: ['type', 'minimum'],
  number: ['type', 'minimum'],
  null: ['type']
}
const annotations = ['$id', 'title', 'description', 'default']

/**
 * Compiles the proof of a wire schema: that native `JSON.stringify` writes of a value what the schema serializer writes.
 *
 * Only plain data can be proven, since none of it runs code between the proof and the writing: no Proxy, no `toJSON`, none but
 * the standard prototypes, every member an own enumerable one of the schema, no hole in an array. Strings and finite numbers look
 * the same from both, lone surrogates too. Two things are the value's own: the order of its members, which JSON leaves open,
 * and a getter on the object itself, which is read like a member and believed to answer the same twice.
 *
 * The own keys are walked once, and each leads to the check of its member: looking for unknown members by name afterwards is
 * most of what a usual check costs.
 *
 * @param schema the schema, or a reference to one
 * @param named the named wire schemas by `$id`
 * @throws TypeError for a schema that says more than the proof understands
 */
export function compileProof (schema: TSchema, named: Readonly<Record<string, TSchema>>): (value: unknown) => Proven {
  const names = new Map<TSchema, string>()
  const functions: string[] = []

  /** The condition under which the variable `value` conforms. */
  function conditionOf (schema: TSchema): string {
    if (schema.$ref !== undefined) return conditionOf(named[schema.$ref]!)
    if (schema.anyOf !== undefined) return schema.anyOf.map(conditionOf).join(' || ')
    const keywords = understood[schema.type] ?? []
    for (const keyword of Object.keys(schema)) {
      if (keywords.includes(keyword) || annotations.includes(keyword)) continue
      throw new TypeError(`There is no proof for "${keyword}" of type ${schema.type}`)
    }
    const least = schema.minimum === undefined ? '' : ` && value >= ${schema.minimum}`
    switch (schema.type) {
      case 'null': return 'value === null'
      case 'boolean': return "typeof value === 'boolean'"
      case 'string': return schema.const === undefined ? "typeof value === 'string'" : `value === ${JSON.stringify(schema.const)}`
      case 'integer': return `Number.isInteger(value)${least}`
      case 'number': return `Number.isFinite(value)${least}`
      default: return `${functionOf(schema)}(value)`
    }
  }

  /** The name of the function that proves objects or arrays of a schema. */
  function functionOf (schema: TSchema): string {
    let name = names.get(schema)
    if (name === undefined) {
      names.set(schema, name = `prove${names.size}`)
      functions.push(`function ${name} (o) {${schema.type === 'array' ? provesArray(schema) : provesObject(schema)}}`)
    }
    return name
  }

  const provesArray = ({ items }: TSchema) => `
    if (!Array.isArray(o) || isProxy(o) || getPrototypeOf(o) !== Array.prototype || o.toJSON !== undefined) return false
    for (let i = 0; i < o.length; i++) {
      const value = o[i]
      if (!(${conditionOf(items)})) return false
    }
    return true`

  function provesObject ({ properties, required = [], additionalProperties }: TSchema): string {
    const members = Object.keys(properties)
    if (additionalProperties !== false || members.length > 30) throw new TypeError('There is no proof for an object that is open or large')
    const mask = (which: (name: string) => boolean) => members.reduce((bits, name, i) => which(name) ? bits | 1 << i : bits, 0)
    const hasDefault = (name: string) => properties[name].default !== undefined
    const due = mask(name => required.includes(name) && !hasDefault(name))
    const defaults = mask(hasDefault)
    const others = members.filter((_name, i) => (due & 1 << i) === 0)
    return `
    if (typeof o !== 'object' || o === null || isProxy(o) || o.toJSON !== undefined) return false
    const prototype = getPrototypeOf(o)
    if (prototype !== Object.prototype && prototype !== null) return false
    let seen = 0
    for (const key in o) {
      switch (key) {${members.map((name, i) => `
        case ${JSON.stringify(name)}: {
          const value = o[${JSON.stringify(name)}]
          ${others.includes(name) ? `if (value === undefined) ${hasDefault(name) ? 'break' : `{ seen |= ${1 << i}; break }`}` : ''}
          if (!(${conditionOf(properties[name])})) return false
          seen |= ${1 << i}
          break
        }`).join('')}
        default: return false
      }
    }
    if (seen === ${mask(() => true)}) return true
    if ((seen & ${due}) !== ${due}) return false
    if ((seen & ${defaults}) !== ${defaults}) complete = false
    // What the walk did not meet could still be there for the schema serializer: not enumerable, or inherited.
    return ${others.map(name => `((seen & ${1 << members.indexOf(name)}) !== 0 || o[${JSON.stringify(name)}] === undefined)`).join(' && ') || 'true'}`
  }

  const condition = conditionOf(schema)
  const code = `
    let complete
    ${functions.join('\n')}
    return function prove (value) {
      for (const name in Object.prototype) return 'no'
      complete = true
      return (${condition}) ? complete ? 'complete' : 'lacks defaults' : 'no'
    }`
  return compileFunction(code, ['isProxy', 'getPrototypeOf'])(types.isProxy, Object.getPrototypeOf)
}
