import type { TObject } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import { BadRequestError } from './errors.ts'

type Outcome = { value: Record<string, unknown> } | { error: Error }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads the parameters of an operation (protocol.md, Operations): our own rules instead of the host's Ajv, whose options would
 * change the contract. Text from a query string becomes an integer where one is due; a body is never coerced.
 */
export function compileParameters (schema: TObject, httpPart: string | undefined): (input: unknown) => Outcome {
  const inQuery = httpPart === 'querystring'
  const rules = Object.entries(schema.properties).map(([name, rule]) => ({ name, rule, required: schema.required!.includes(name) }))
  const sorts = 'sort' in schema.properties
  let check: TypeCheck<TObject> | undefined

  return input => {
    if (!isObject(input)) return { error: new BadRequestError('The body must be a JSON object') }
    const value: Record<string, unknown> = inQuery ? {} : { ...input }
    for (const { name, rule, required } of rules) {
      const read = readParameter(Object.hasOwn(input, name) ? input[name] : undefined, rule, required, inQuery)
      if (read !== undefined) value[name] = read
      else if (!inQuery) delete value[name]
    }
    // The direction goes with a sort: asc if only that is given, ignored without it.
    if (sorts) value.order = value.sort === undefined ? undefined : value.order ?? 'asc'

    check ??= TypeCompiler.Compile(schema)
    if (check.Check(value)) return { value }
    const { path, message } = check.Errors(value).First()!
    return { error: new BadRequestError(`Invalid parameter ${path.slice(1)}: ${message}`) }
  }
}

/** One parameter as the check wants it, `undefined` when it is absent. */
function readParameter (given: unknown, rule: { type?: string, default?: unknown }, required: boolean, inQuery: boolean): unknown {
  if (given === undefined) return rule.default
  if (typeof given !== 'string') return given
  if (inQuery && rule.type === 'integer') return /^-?\d+$/.test(given) ? Number(given) : given
  if (rule.type !== 'string') return given
  if (required) return given.trim()
  return given.trim() === '' ? rule.default : given
}
