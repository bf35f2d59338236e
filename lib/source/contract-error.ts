import { types } from 'node:util'
import { unawaited } from '../async/unawaited.ts'
import { SourceError } from '../contract/errors.ts'
import { didYouMean } from '../options/did-you-mean.ts'
import { itemOf, type Violation } from './repair-value.ts'

/** The number of violations in the message. */
const inMessage = 3

/**
 * An adapter's value violates the contract. The message names method, schema and path. Clients see it only in
 * development.
 */
export class ContractError extends SourceError {
  /** Path, rule and actual value, for example `/artists/0/name Expected string, got null`; at most ten. */
  readonly violations: readonly string[]

  constructor (operation: string, schema: string, violations: readonly Violation[]) {
    const texts = violations.slice(0, 10).map(textOf)
    const unread = violations.find(violation => 'cause' in violation)
    const message = `Adapter response of ${operation} does not match ${schema}: ${texts.slice(0, inMessage).join('; ')}`
    super(500, message, unread && { cause: unread.cause })
    this.violations = texts
  }
}

const textOf = (violation: Violation): string =>
  `${violation.path || '/'} ${ruleOf(violation)}${itemOf(violation)}`

function ruleOf (violation: Violation): string {
  const { path, message, known } = violation
  if (known !== undefined) {
    const meant = didYouMean(path.slice(path.lastIndexOf('/') + 1), known)
    return meant === undefined ? message : `${message}: did you mean "${meant}"?`
  }
  if (!('value' in violation)) return message
  const isNothing = path === '' && (violation.value ?? null) === null
  const isList = message.includes('array')
  const instead = isList ? 'give [] where there is nothing' : 'throw NotFoundError where there is no such item'
  const hint = isNothing ? `: ${instead}` : ''
  const orNot = violation.isOptional && violation.value === null ? ': leave it out instead' : ''
  return `${message}, got ${wordsOf(violation.value)}${hint}${orNot}`
}

/** Describes a value. Strings are not shown, because they may be secrets. */
export function wordsOf (value: unknown): string {
  const early = unawaited(value)
  if (early !== undefined) return early
  if (typeof value === 'object' && value !== null) return wordsOfObject(value)
  if (typeof value === 'bigint') return 'bigint: convert it, with String for an id and with Number for a number'
  return ['string', 'function', 'symbol'].includes(typeof value) ? typeof value : String(value)
}

/** Properties in which other APIs wrap their lists. */
const wrappers = ['data', 'items', 'results', 'rows']

function wordsOfObject (value: object): string {
  // A revoked proxy throws at any access.
  if (types.isProxy(value)) return 'object'
  if (Array.isArray(value)) return 'array'
  if (types.isDate(value)) return 'a Date: give its getTime(), or its toISOString() for a text'
  if (value instanceof Response) return 'a Response: give what its json() gives'
  const several = [
    [types.isSet(value), 'a Set'], [types.isMap(value), 'a Map'], [types.isGeneratorObject(value), 'a generator'],
    [types.isMapIterator(value) || types.isSetIterator(value), 'an iterator']
  ].find(([isOne]) => isOne)
  if (several !== undefined) return `${several[1]}: make an array of it, as [...it]`
  const wrapper = wrappers.find(name => Array.isArray(Object.getOwnPropertyDescriptor(value, name)?.value))
  return wrapper === undefined ? 'object' : `an object with "${wrapper}": give what is in it`
}
