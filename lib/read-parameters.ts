import { compileFunction } from 'node:vm'
import type { TObject } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import { BadRequestError } from './errors.ts'

type Parameters = Record<string, unknown>
type Outcome = { value: Parameters } | { error: Error }

const isObject = (value: unknown): value is Parameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** How one parameter is read; what is not as expected is left for the check. */
const readers = {
  trimmed: (given: unknown) => typeof given === 'string' ? given.trim() : given,
  filled: (given: unknown) => typeof given === 'string' && given.trim() === '' ? undefined : given,
  integer: (given: unknown) => typeof given === 'string' && /^-?\d+$/.test(given) && Number.isSafeInteger(Number(given)) ? Number(given) + 0 : given,
  given: (given: unknown) => given,
  withDefault: (value: unknown, byDefault: unknown) => value === undefined ? byDefault : value
}

/**
 * Reads the parameters of an operation (protocol.md, Operations): our own rules instead of the host's Ajv, whose options would
 * change the contract. Text from a query string becomes an integer where one is due; a body is never coerced.
 */
export function compileParameters (schema: TObject, httpPart: string | undefined): (input: unknown) => Outcome {
  const inQuery = httpPart === 'querystring'
  const sorts = 'sort' in schema.properties
  let read: ((input: Parameters) => Parameters) | undefined
  let check: TypeCheck<TObject> | undefined

  return input => {
    if (!isObject(input)) return { error: new BadRequestError('The body must be a JSON object') }
    read ??= compileReader(schema, inQuery)
    const value = read(input)
    // The direction goes with a sort: asc if only that is given, ignored without it.
    if (sorts) value.order = value.sort === undefined ? undefined : value.order ?? 'asc'

    // Unknown keys of a query are not read, so there is none to look for.
    check ??= TypeCompiler.Compile(inQuery ? { ...schema, additionalProperties: true } : schema)
    if (check.Check(value)) return { value }
    const present = Object.fromEntries(Object.entries(value).filter(([, value]) => value !== undefined))
    const { path, message } = check.Errors(present).First()!
    // The caller names the members of a body, of any length.
    return { error: new BadRequestError(`Invalid parameter ${path.slice(1, 101)}: ${message}`) }
  }
}

/**
 * Compiles the reader of one operation, since members that are named in the code are found faster than by names from a list.
 * Unknown members of a body stay, for the check to find them.
 */
function compileReader ({ properties, required = [] }: TObject, inQuery: boolean): (input: Parameters) => Parameters {
  const members = Object.entries(properties).map(([name, rule]) => {
    const text = required.includes(name) ? 'trimmed' : 'filled'
    const reader = rule.type === 'string' ? text : inQuery && rule.type === 'integer' ? 'integer' : 'given'
    return `${name}: withDefault(${reader}(input.${name}), ${JSON.stringify(rule.default)})`
  })
  const literal = [...inQuery ? [] : ['...input'], ...members].join(', ')
  return compileFunction(`return input => ({ ${literal} })`, Object.keys(readers))(...Object.values(readers))
}
