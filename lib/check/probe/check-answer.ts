import { Type, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeCompiler, ValueErrorType, type TypeCheck } from '@sinclair/typebox/compiler'
import { wireSchema } from '../../../schemas/common.ts'
import { ErrorResponseSchema, schemas, ServiceStatusSchema, StatusSchema } from '../../../schemas/index.ts'
import type { AdapterMethod } from '../../contract/operations.ts'
import { schemasOf } from '../../contract/schemas-of.ts'
import { isObject } from '../../options/is-object.ts'
import type { RuleId } from '../rules.ts'
import type { Find, Location, OperationName, ReceivedAnswer } from './findings.ts'

const wireSchemas: TSchema[] = schemas.map(schema => wireSchema<TObject>(schema))
const checks = new Map<TSchema, TypeCheck<TSchema>>()

function checkOf (schema: TSchema): TypeCheck<TSchema> {
  let check = checks.get(schema)
  if (check === undefined) {
    check = TypeCompiler.Compile(schema.$id === undefined ? schema : Type.Ref(schema.$id), wireSchemas)
    checks.set(schema, check)
  }
  return check
}

/** Returns the schema of the data in the envelope. */
export const dataSchemaOf = (operation: OperationName): TSchema =>
  operation === 'status' ? StatusSchema : schemasOf(operation as AdapterMethod).data

const article = (value: unknown) => value === null ? 'null' : Array.isArray(value) ? 'an array' : `${typeof value}`

/** Returns a value of a response for a message. Objects are replaced by their type. */
export const wordsOf = (value: unknown): string => typeof value === 'object' ? article(value) : String(value)

/**
 * Reads the JSON of a response and checks its content type.
 *
 * @returns `undefined` for a body that is not a JSON object; that is a finding
 */
function readObject (find: Find, answer: ReceivedAnswer): Record<string, unknown> | undefined {
  const { headers, text, status } = answer
  const type = headers.get('content-type') ?? 'none'
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    find('not-json', answer, `answered ${status} with the content type ${type} and a body that is not JSON`)
    return undefined
  }
  if (!/^application\/json *(;|$)/i.test(type)) find('content-type', answer, `answered with ${type}`)
  else if (!/; *charset="?utf-8"?/i.test(type)) find('content-type-charset', answer, `answered with ${type}`)
  if (isObject(body)) return body
  find('envelope', answer, `the body is ${article(body)} instead of an object`)
  return undefined
}

/**
 * Returns the data of a successful response, checked against envelope and schema.
 *
 * @returns `undefined` without data; the reason is a finding. Data that violates its schema is a finding and is
 *   returned.
 */
export function checkSuccess (find: Find, answer: ReceivedAnswer): unknown {
  const { operation, request, status } = answer
  const body = readObject(find, answer)
  if (body === undefined) return undefined
  const note = (rule: RuleId, message: string, path?: string) => find(rule, { operation, request, path }, message)
  if (typeof body.code === 'number' && body.code >= 400) {
    note('error-as-success', `answered ${status} with the code ${body.code}: ${wordsOf(body.message)}`)
    return undefined
  }
  if (status !== 200) note('http-status', `answered ${status}`)
  if (body.code !== 200 || !('data' in body)) {
    const code = 'code' in body ? ` with the code ${wordsOf(body.code)}` : ''
    note('envelope', `the members are ${Object.keys(body).join(', ')}${code}`)
    return undefined
  }
  for (const name of Object.keys(body)) {
    if (name !== 'code' && name !== 'data') note('envelope-member', 'unknown member', `/${name}`)
  }
  if (body.data === null) {
    note('data-null', 'the data is null')
    return undefined
  }
  checkSchema(find, { operation, request, path: '/data' }, dataSchemaOf(operation), body.data)
  return body.data
}

/** Checks an expected error against the envelope. */
export function checkError (find: Find, answer: ReceivedAnswer): void {
  const body = readObject(find, answer)
  if (body === undefined) return
  const { message, path } = checkOf(ErrorResponseSchema).Errors(body).First() ?? {}
  const { status } = answer
  if (message !== undefined) find('error-envelope', answer, `${path}: ${message} in the answer ${status}`)
  else if (body.code !== status) find('error-code', answer, `answered ${status} with the code ${body.code}`)
}

/** Checks a response that must be this error; another status violates the rule. */
export function expectStatus (
  find: Find, answer: ReceivedAnswer | undefined, status: number, rule: RuleId, to = ''
): void {
  if (answer === undefined) return
  if (answer.status === status) checkError(find, answer)
  else find(rule, answer, `answered ${answer.status}${to}`)
}

/** Returns the data in the body of a response that may contain anything. */
export function dataIn (text: string): unknown {
  try {
    return JSON.parse(text)?.data
  } catch {
    return undefined
  }
}

/** Returns whether a body is a response of `GET /status`. */
export const isServiceStatus = (text: string): boolean => {
  try {
    return checkOf(ServiceStatusSchema).Check(JSON.parse(text))
  } catch {
    return false
  }
}

/** Lists of the status that older origins lack. */
const newLists = /^\/(qualityMap|playlistSortOptions)$/

const ids = /\/(id|userId|mvId)$/

function ruleOf (schema: TSchema, type: ValueErrorType, path: string, value: unknown): RuleId {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return schema === StatusSchema && newLists.test(path) ? 'status-list-missing' : 'member-missing'
    case ValueErrorType.ObjectAdditionalProperties: return 'member-unknown'
    // The URL of the audio is the only string that must not be empty.
    case ValueErrorType.StringMinLength: return 'audio-url'
    case ValueErrorType.Literal:
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum: return 'value-invalid'
    default: return typeof value === 'number' && ids.test(path) ? 'id-not-string' : 'type-wrong'
  }
}

/** The maximum number of findings in one response. */
const maximumFindings = 20

/** Reports every missing, unknown or wrong property with its path (docs/reference/contract.md, Schemas). */
function checkSchema (find: Find, root: Location, schema: TSchema, value: unknown): void {
  const check = checkOf(schema)
  // Listing errors is much slower than Check.
  if (check.Check(value)) return
  const paths = new Set<string>()
  for (const { type, path, value: wrong, message } of check.Errors(value)) {
    // TypeBox reports a missing property twice: as missing, then as a value of the wrong type.
    if (paths.has(path)) continue
    paths.add(path)
    const rule = ruleOf(schema, type, path, wrong)
    const found = rule === 'value-invalid' ? JSON.stringify(wrong) : article(wrong)
    const isMember = type === ValueErrorType.ObjectRequiredProperty || rule === 'member-unknown'
    find(rule, { ...root, path: root.path + path }, isMember ? message : `${message} instead of ${found}`)
    if (paths.size === maximumFindings) return
  }
}
