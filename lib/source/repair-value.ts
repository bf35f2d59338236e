import { types } from 'node:util'
import type { TSchema } from '@sinclair/typebox'
import { handled, unawaited } from '../async/unawaited.ts'
import { MutationStatusSchema, MutationSuccessSchema, TrackUrlSchema } from '../../schemas/index.ts'
import { unixTime } from '../../schemas/common.ts'
import { extras, extrasSchemas } from '../../schemas/extras.ts'
import { resolveSchema } from '../contract/schemas-of.ts'
import { isObject } from '../options/is-object.ts'
import { isoTime } from '../text/iso-time.ts'

/** A path at which a value breaks its schema. */
export interface Violation {
  /** JSON pointer into the value: `/artists/0/name`; empty for the value itself. */
  readonly path: string
  /** The rule that was violated: `Expected string`. */
  readonly message: string
  /** The actual value. */
  readonly value?: unknown
  /** The error thrown when the value was read. */
  readonly cause?: unknown
  /** If `true`, the value is an optional property. */
  readonly isOptional?: boolean
  /** For an unknown property: the names of the object's valid properties. */
  readonly known?: readonly string[]
  /** The id of the list item in which the value was found. */
  id?: string
}

/** The result for a value that cannot be converted to the schema's type. */
export const unusable = Symbol('unusable')

/** Reads a value by its schema and returns plain data that conforms, or `unusable`. Adds each violation to the list. */
export type Mend = (value: unknown, path: string, violations: Violation[]) => unknown

interface Mended { [name: string]: unknown, [extras]?: unknown }

/** The properties besides the id without which a response is useless. */
const essentialMembers = new Map([
  [MutationSuccessSchema.$id, ['success']],
  [MutationStatusSchema.$id, ['success', 'status']],
  [TrackUrlSchema.$id, ['url']]
])

/**
 * Compiles a function that reads any value by a schema (docs/reference/contract.md, What production does with a value
 * that breaks the contract). Properties are read by name, so that class instances, getters, inherited properties,
 * Proxies and results of `toJSON` work. It returns plain data that conforms, with defaults, or `unusable`.
 *
 * @param schema the schema, or a reference to one
 * @param isMember whether the value is a property of an object. The response itself and the items of its lists are
 * useless without their id.
 */
export function compileRepair (schema: TSchema, isMember = false): Mend {
  if (schema.$ref !== undefined) return compileRepair(resolveSchema(schema), isMember)
  if (schema.anyOf?.[0].const !== undefined) return oneOf(schema.anyOf.map((option: TSchema) => option.const))
  if (schema.anyOf !== undefined) return orNull(schema.anyOf[0])
  switch (schema.type) {
    case 'object': return readable(mendObject(schema, isMember))
    case 'array': return readable(mendList(compileRepair(schema.items)))
    case 'string': return mendText(schema)
    case 'boolean': return mendBoolean
    case 'null': return mendNull
    default: return mendNumber(schema, mostNeutral(schema))
  }
}

/** Repairs a union of literals. */
function oneOf (literals: readonly unknown[]): Mend {
  const words = literals.map(literal => JSON.stringify(literal)).join(' or ')
  return (value, path, violations) => {
    if (literals.includes(value)) return value
    violations.push({ path, message: `Expected ${words}`, value })
    return unusable
  }
}

/** Repairs any other union of the contract: a scalar or `null`. */
function orNull (schema: TSchema): Mend {
  const mend = schema.type === 'string' ? mendText(schema) : mendNumber(schema, null)
  return (value, path, violations) => value === null ? null : mend(value, path, violations)
}

/** Handles values that may throw when they are read: getters, Proxies, `toJSON`. */
const readable = (mend: Mend): Mend => (value, path, violations) => {
  try {
    return mend(value, path, violations)
  } catch (cause) {
    violations.push({ path, message: 'Expected a value that can be read', cause })
    return unusable
  }
}

/** Returns the words that name the item of a violation. */
export const itemOf = ({ id }: Violation): string => id === undefined ? '' : ` (id ${JSON.stringify(id.slice(0, 100))})`

/** Adds the id of an item to its violations. */
export function nameItem (item: unknown, violations: readonly Violation[], from: number): void {
  // A revoked proxy throws at any access.
  if (violations.length === from || !isObject(item) || types.isProxy(item)) return
  const { value } = Object.getOwnPropertyDescriptor(item, 'id') ?? {}
  if (typeof value === 'string') for (const violation of violations.slice(from)) violation.id = value
}

function mendList (mendItem: Mend): Mend {
  return (value, path, violations) => {
    const list = plainOf(value)
    if (!Array.isArray(list) || unawaited(list) !== undefined) {
      violations.push({ path, message: 'Expected array', value: list })
      return unusable
    }
    const items: unknown[] = []
    for (let i = 0; i < list.length; i++) {
      const before = violations.length
      const item = mendItem(list[i], `${path}/${i}`, violations)
      nameItem(list[i], violations, before)
      if (item !== unusable) items.push(item)
    }
    return items
  }
}

function mendObject (schema: TSchema, isMember: boolean): Mend {
  const { $id, title = '', properties, required = [] } = schema
  const mayHaveExtras = Object.hasOwn(extrasSchemas, title)
  const essential = isMember ? [] : essentialMembers.get($id) ?? ['id']
  const members = Object.entries<TSchema>(properties).map(([name, member]) => ({
    name,
    mend: compileRepair(member, true),
    isEssential: essential.includes(name),
    isRequired: required.includes(name),
    substitute: member.default ?? (required.includes(name) ? neutralValue(member) : member.default)
  }))

  const known = Object.keys(properties)
  return (value, path, violations) => {
    const object = plainOf(value)
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object)
    if (!isObject || unawaited(object) !== undefined) {
      violations.push({ path, message: 'Expected object', value: object })
      return unusable
    }
    const source = object as Mended
    const mended: Mended = {}
    for (const { name, mend, isEssential, isRequired, substitute } of members) {
      const member = source[name]
      let result: unknown = unusable
      if (member !== undefined) {
        const before = violations.length
        result = mend(member, `${path}/${name}`, violations)
        // The value was probably copied from a database or an upstream: the message suggests to omit it.
        if (member === null && !isRequired && violations.length > before) {
          violations.push({ ...violations.pop()!, isOptional: true })
        }
      } else if (isRequired) violations.push({ path: `${path}/${name}`, message: 'Expected required property' })
      if (result === unusable && isEssential) return unusable
      if (result === unusable) result = substitute
      if (result !== undefined) mended[name] = result
    }
    // The extras are checked later.
    if (mayHaveExtras && source[extras] !== undefined) mended[extras] = source[extras]
    for (const name of Object.keys(source)) {
      if (Object.hasOwn(properties, name) || source[name] === undefined) continue
      violations.push({ path: `${path}/${name.slice(0, 100)}`, message: 'Unexpected property', known })
    }
    return mended
  }
}

/** Returns the value that `JSON.stringify` would write. */
export function plainOf (value: unknown): unknown {
  const toJSON = (value as { toJSON?: unknown } | null | undefined)?.toJSON
  return typeof toJSON === 'function' ? handled(Reflect.apply(toJSON, value, [])) : value
}

function mendText ({ minLength = 0, const: literal }: TSchema): Mend {
  return (value, path, violations) => {
    const isMeant = literal === undefined || value === literal
    if (typeof value === 'string' && value.length >= minLength && isMeant) return value
    const message = minLength > 0 && value === '' ? 'Expected string that is not empty' : 'Expected string'
    violations.push({ path, message, value })
    return literal === undefined && ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : unusable
  }
}

const mendNull: Mend = (value, path, violations) => {
  if (value !== null) violations.push({ path, message: 'Expected null', value })
  return null
}

const booleans = new Map<unknown, boolean>([['true', true], ['false', false], [1, true], [0, false]])

const mendBoolean: Mend = (value, path, violations) => {
  if (typeof value === 'boolean') return value
  violations.push({ path, message: 'Expected boolean', value })
  return booleans.get(value) ?? unusable
}

/** @param invalid the result for a number or string that the schema does not allow */
function mendNumber (schema: TSchema, invalid: number | null): Mend {
  const { type, minimum = -Infinity, title } = schema
  const isInteger = type === 'integer'
  const fits = (value: number) => Number.isFinite(value) && value >= minimum
  return (value, path, violations) => {
    if (typeof value === 'number' && fits(value) && (!isInteger || Number.isInteger(value))) return value
    const limit = typeof value === 'number' && value < minimum ? ` to be greater or equal to ${minimum}` : ''
    violations.push({ path, message: `Expected ${type}${limit}`, value })
    const number = numberOf(value, title === unixTime)
    if (number === undefined) return unusable
    const result = isInteger ? Math.round(number) + 0 : number
    return fits(result) ? result : invalid
  }
}

/** Returns the number in a value: `NaN` for a string without a number, `undefined` for a value of another type. */
function numberOf (value: unknown, isTime: boolean): number | undefined {
  switch (typeof value) {
    case 'number':
    case 'bigint': return Number(value)
    case 'string': {
      const text = value.length > 100 ? '' : value.trim()
      if (/^[+-]?(?:\d+\.?|\d*\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text)
      return isTime ? isoTime(text) : NaN
    }
    default: return isTime && types.isDate(value) ? value.getTime() : undefined
  }
}

const mostNeutral = ({ minimum = 0 }: TSchema): number => Math.max(minimum, 0)

/** Returns the value of a required property that cannot be repaired. */
function neutralValue (schema: TSchema): unknown {
  if (schema.$ref !== undefined) return neutralValue(resolveSchema(schema))
  if (schema.const !== undefined) return schema.const
  switch (schema.type) {
    case 'object': return mendObject(schema, true)({}, '', [])
    case 'array': return []
    case 'string': return ''
    case 'boolean': return false
    case 'null': return null
    default: return mostNeutral(schema)
  }
}
