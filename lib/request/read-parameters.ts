import type { TObject, TSchema } from '@sinclair/typebox'
import { BadRequestError } from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import { didYouMean } from '../options/did-you-mean.ts'
import { BrokenBody } from './broken-body.ts'

type Parameters = Record<string, unknown>
type ReadParameters = { value: Parameters } | { error: Error }

/** Reads one parameter; throws the error that clients get. */
type Read = (given: unknown) => unknown

/**
 * Compiles the parser of an operation's parameters (docs/reference/contract.md, Parameters). It does not use the app's
 * Ajv, because the options of Ajv would change the contract. All strings are trimmed. In a query, strings become
 * integers if the schema requires them, and unknown keys are ignored. In a body, values are never coerced, and unknown
 * keys are rejected.
 */
export function compileParameters (schema: TObject, httpPart: string | undefined): (input: unknown) => ReadParameters {
  const inQuery = httpPart === 'querystring'
  const readers = Object.entries<TSchema>(schema.properties).map(([name, rule]) =>
    [name, compileReader(name, rule, schema.required!.includes(name), inQuery)] as const)
  const names = readers.map(([name]) => name)
  const sorts = names.includes('sort')

  function read (input: Parameters): Parameters {
    if (!inQuery) refuseUnknown(input, names)
    const value: Parameters = {}
    for (const [name, read] of readers) {
      const isIdle = sorts && name === 'order' && value.sort === undefined
      value[name] = isIdle ? undefined : read(input[name])
    }
    if (sorts && value.sort !== undefined) value.order ??= 'asc'
    return value
  }

  return input => {
    if (input instanceof BrokenBody) return { error: input.error }
    if (!isObject(input)) return { error: new BadRequestError('The body must be a JSON object') }
    try {
      return { value: read(input) }
    } catch (error) {
      return { error: error as Error }
    }
  }
}

function refuseUnknown (input: Parameters, known: readonly string[]): void {
  const unknown = Object.keys(input).find(name => !known.includes(name))
  if (unknown === undefined) return
  const name = unknown.slice(0, 100)
  const meant = didYouMean(name, known)
  throw new BadRequestError(`Unknown parameter ${name}${meant === undefined ? '' : `: did you mean ${meant}?`}`)
}

function compileReader (name: string, rule: TSchema, isRequired: boolean, inQuery: boolean): Read {
  const { convert, must } = ruleOf(rule, inQuery)
  const blankIsAbsent = rule.type === 'string' && !isRequired
  return given => {
    const value = typeof given === 'string' ? given.trim() : given
    if (value === undefined || (blankIsAbsent && value === '')) {
      if (isRequired) throw new BadRequestError(`Parameter ${name} is required`)
      return rule.default
    }
    const result = convert(value)
    if (result !== undefined) return result
    const isRepeated = inQuery && rule.type !== 'array' && Array.isArray(value)
    const problem = isRepeated ? 'must be given only once' : value === '' ? 'must not be empty' : must
    throw new BadRequestError(`Parameter ${name} ${problem}`)
  }
}

/** Returns the conversion of a value (`undefined` if it violates the rule), and the rule as text. */
function ruleOf (
  rule: TSchema, inQuery: boolean
): { convert: Read, must: string } {
  const { type, anyOf, minimum, maximum, maxLength } = rule
  if (anyOf !== undefined) {
    const literals: unknown[] = anyOf.map((option: TSchema) => option.const)
    return { must: `must be ${literals.join(' or ')}`, convert: value => literals.includes(value) ? value : undefined }
  }
  if (type === 'boolean') {
    return { must: 'must be true or false', convert: value => typeof value === 'boolean' ? value : undefined }
  }
  if (type === 'string') {
    const isShort = (value: string) => maxLength === undefined || Buffer.byteLength(value) <= maxLength
    return {
      must: maxLength === undefined ? 'must be a string' : `must be a string of ${maxLength} bytes at most`,
      convert: value => typeof value === 'string' && value !== '' && isShort(value) ? value : undefined
    }
  }
  if (type === 'array') return listRule(rule, inQuery)
  if (type === 'object') return { must: `must be ${rule.description}`, convert: membersOf(rule) }
  if (type === 'number') {
    const isInside = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum
    return { must: `must be ${rule.description}`, convert: value => isInside(value) ? value : undefined }
  }
  return {
    must: `must be an integer ${maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`}`,
    convert: value => {
      const number = inQuery && typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) + 0 : NaN
      const isInside = number >= minimum && (maximum === undefined || number <= maximum)
      return Number.isSafeInteger(number) && isInside ? number : undefined
    }
  }
}

/** Returns the rule of a list of strings or objects. In a query, a single value is a list as well. */
function listRule (
  { items, minItems = 0, maxItems = Infinity, description }: TSchema, inQuery: boolean
): { convert: Read, must: string } {
  const { convert } = ruleOf(items, false)
  return {
    must: `must be ${description}`,
    convert: value => {
      const list = inQuery ? [value].flat() : value
      const isInside = Array.isArray(list) && list.length >= minItems && list.length <= maxItems
      return isInside && list.every(item => convert(item) !== undefined) ? list : undefined
    }
  }
}

/** Returns a function that returns an object if its properties hold, else `undefined`. */
function membersOf ({ properties = {}, required = [] }: TSchema): Read {
  const rules = Object.entries<TSchema>(properties).map(([name, rule]) =>
    ({ name, isRequired: required.includes(name), convert: ruleOf(rule, false).convert }))
  return value => isObject(value) && rules.every(({ name, isRequired, convert }) =>
    value[name] === undefined ? !isRequired : convert(value[name]) !== undefined)
    ? value
    : undefined
}
