import { types } from 'node:util'
import { compileFunction } from 'node:vm'
import type { TSchema } from '@sinclair/typebox'
import { extras, extrasSchemas } from '../../schemas/extras.ts'
import { handled } from '../async/unawaited.ts'

/**
 * The result of a proof: the value conforms unchanged, it conforms apart from extras that were not checked, it only
 * lacks properties with defaults (and may have extras), or it does not conform.
 */
export type Proven = 'complete' | 'with extras' | 'lacks defaults' | 'no'

/** Keywords that the generated code checks, by type. A schema with any other keyword is rejected. */
const understood: Readonly<Record<string, readonly string[]>> = {
  object: ['type', 'properties', 'required', 'additionalProperties'],
  array: ['type', 'items'],
  string: ['type', 'const', 'minLength'],
  boolean: ['type'],
  integer: ['type', 'minimum'],
  number: ['type', 'const', 'minimum'],
  null: ['type']
}
const annotations = ['$id', 'title', 'description', 'default']

/**
 * Compiles a function that proves that a value conforms to a schema unchanged, so that `JSON.stringify` may write it.
 *
 * Only plain data can be proven, because it runs no code between the proof and the writing: no Proxy, no `toJSON`, only
 * the standard prototypes, only own enumerable properties of the schema, no holes in arrays. A getter of the object
 * itself is read like a property. It must return the same value twice.
 *
 * The generated code visits each key of an object once and checks its value, so that it finds unknown properties at the
 * same time.
 *
 * @param schema the schema, or a reference to one
 * @param named the named schemas by `$id`
 * @throws TypeError for a schema with an unsupported keyword
 */
export function compileProof (schema: TSchema, named: Readonly<Record<string, TSchema>>): (value: unknown) => Proven {
  const names = new Map<TSchema, string>()
  const functions: string[] = []

  /** Returns the code of the condition under which the variable `value` conforms. */
  function conditionOf (schema: TSchema): string {
    if (schema.$ref !== undefined) return conditionOf(named[schema.$ref]!)
    if (schema.anyOf !== undefined) return schema.anyOf.map(conditionOf).join(' || ')
    const keywords = understood[schema.type] ?? []
    for (const keyword of Object.keys(schema)) {
      if (keywords.includes(keyword) || annotations.includes(keyword)) continue
      throw new TypeError(`There is no proof for "${keyword}" of type ${schema.type}`)
    }
    if (schema.const !== undefined) return `value === ${JSON.stringify(schema.const)}`
    const minimum = schema.minimum === undefined ? '' : ` && value >= ${schema.minimum}`
    const minLength = schema.minLength === undefined ? '' : ` && value.length >= ${schema.minLength}`
    switch (schema.type) {
      case 'null': return 'value === null'
      case 'boolean': return "typeof value === 'boolean'"
      case 'string': return `typeof value === 'string'${minLength}`
      case 'integer': return `Number.isInteger(value)${minimum}`
      case 'number': return `Number.isFinite(value)${minimum}`
      default: return `${functionOf(schema)}(value)`
    }
  }

  /** Returns the name of the function that proves objects or arrays of a schema. */
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

  function provesObject ({ title = '', properties, required = [], additionalProperties }: TSchema): string {
    const members = Object.keys(properties)
    if (additionalProperties !== false || members.length > 30) {
      throw new TypeError('There is no proof for an object that allows other members or has more than 30')
    }
    const mask = (which: (name: string) => boolean) =>
      members.reduce((bits, name, i) => which(name) ? bits | 1 << i : bits, 0)
    const hasDefault = (name: string) => properties[name].default !== undefined
    const needed = mask(name => required.includes(name) && !hasDefault(name))
    const defaults = mask(hasDefault)
    const others = members.filter((_name, i) => (needed & 1 << i) === 0)
    const ifAbsent = (name: string, i: number) =>
      `if (value === undefined) ${hasDefault(name) ? 'break' : `{ seen |= ${1 << i}; break }`}`
    const absentUnlessSeen = (name: string) =>
      `((seen & ${1 << members.indexOf(name)}) !== 0 || o[${JSON.stringify(name)}] === undefined)`
    return `
    if (typeof o !== 'object' || o === null || isProxy(o) || o.toJSON !== undefined) return false
    const prototype = getPrototypeOf(o)
    if (prototype !== Object.prototype && prototype !== null) return false
    ${Object.hasOwn(extrasSchemas, title) ? 'if (o[extras] !== undefined) hasExtras = true' : ''}
    let seen = 0
    for (const key in o) {
      switch (key) {${members.map((name, i) => `
        case ${JSON.stringify(name)}: {
          const value = o[${JSON.stringify(name)}]
          ${others.includes(name) ? ifAbsent(name, i) : ''}
          if (!(${conditionOf(properties[name])})) {
            handled(value)
            return false
          }
          seen |= ${1 << i}
          break
        }`).join('')}
        default: return false
      }
    }
    if (seen === ${mask(() => true)}) return true
    if ((seen & ${needed}) !== ${needed}) return false
    if ((seen & ${defaults}) !== ${defaults}) complete = false
    // A member that was not visited may still exist, inherited or not enumerable.
    return ${others.map(absentUnlessSeen).join(' && ') || 'true'}`
  }

  const condition = conditionOf(schema)
  const code = `
    let complete, hasExtras
    ${functions.join('\n')}
    return function prove (value) {
      for (const name in Object.prototype) return 'no'
      complete = true
      hasExtras = false
      return (${condition}) ? complete ? hasExtras ? 'with extras' : 'complete' : 'lacks defaults' : 'no'
    }`
  return compileFunction(code, ['isProxy', 'getPrototypeOf', 'handled', 'extras'])(
    types.isProxy, Object.getPrototypeOf, handled, extras)
}

/** Compiles the same proof for values that may throw when they are read, for example in getters. */
export function compileSafeProof (
  schema: TSchema, named: Readonly<Record<string, TSchema>>
): (value: unknown) => Proven {
  const prove = compileProof(schema, named)
  return value => {
    try {
      return prove(value)
    } catch {
      return 'no'
    }
  }
}
