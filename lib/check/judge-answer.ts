import { Type, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeCompiler, ValueErrorType, type TypeCheck } from '@sinclair/typebox/compiler'
import { ErrorResponseSchema, schemas, ServiceStatusSchema, StatusSchema, wireSchema } from '../../schemas/index.ts'
import type { AdapterMethod } from '../operations.ts'
import { schemasOf } from '../source-adapter.ts'
import type { Inspection, Judged, OperationName, Place } from './inspection.ts'
import type { RuleId } from './rules.ts'

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

/** The schema of what is in the envelope. */
export const dataSchemaOf = (operation: OperationName): TSchema =>
  operation === 'status' ? StatusSchema : schemasOf(operation as AdapterMethod).data

type Members = Record<string, unknown>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const article = (value: unknown) => value === null ? 'null' : Array.isArray(value) ? 'an array' : `${typeof value}`

/**
 * Reads the JSON of an answer, which must say that it is JSON.
 *
 * @returns `undefined` for what is no JSON object; that is noted
 */
function readObject (inspection: Inspection, answer: Judged): Members | undefined {
  const { headers, text, status } = answer
  const type = headers.get('content-type') ?? 'none'
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    inspection.find('not-json', answer, `answered ${status} with the content type ${type} and a body that is no JSON`)
    return undefined
  }
  if (!/^application\/json *(;|$)/i.test(type)) inspection.find('content-type', answer, `answered with ${type}`)
  else if (!/; *charset="?utf-8"?/i.test(type)) inspection.find('content-type-charset', answer, `answered with ${type}`)
  if (isObject(body)) return body
  inspection.find('envelope', answer, `the body is ${article(body)} instead of an object`)
  return undefined
}

/**
 * The data of a successful answer, held against envelope and schema.
 *
 * @returns `undefined` when there is none; why is noted. Data that breaks its schema is noted and returned.
 */
export function judgeSuccess (inspection: Inspection, answer: Judged): unknown {
  const { operation, request, status } = answer
  const body = readObject(inspection, answer)
  if (body === undefined) return undefined
  const find = (rule: RuleId, message: string, path?: string) => inspection.find(rule, { operation, request, path }, message)
  if (typeof body.code === 'number' && body.code >= 400) {
    find('error-as-success', `answered ${status} with the code ${body.code}: ${body.message}`)
    return undefined
  }
  if (status !== 200) find('http-status', `answered ${status}`)
  if (body.code !== 200 || !('data' in body)) {
    find('envelope', `the members are ${Object.keys(body).join(', ')}${'code' in body ? ` with the code ${body.code}` : ''}`)
    return undefined
  }
  for (const name of Object.keys(body)) {
    if (name !== 'code' && name !== 'data') find('envelope-member', 'unknown member', `/${name}`)
  }
  if (body.data === null) {
    find('data-null', 'the data is null')
    return undefined
  }
  judgeSchema(inspection, { operation, request, path: '/data' }, dataSchemaOf(operation), body.data)
  return body.data
}

/** Holds an error that was asked for against the envelope. */
export function judgeError (inspection: Inspection, answer: Judged): void {
  const body = readObject(inspection, answer)
  if (body === undefined) return
  const { message, path } = checkOf(ErrorResponseSchema).Errors(body).First() ?? {}
  const { status } = answer
  if (message !== undefined) inspection.find('error-envelope', answer, `${path}: ${message} in the answer ${status}`)
  else if (body.code !== status) inspection.find('error-code', answer, `answered ${status} with the code ${body.code}`)
}

/** Judges an answer that must be this error; any other breaks the rule. Without an answer there is nothing to say. */
export function expectStatus (inspection: Inspection, answer: Judged | undefined, status: number, rule: RuleId, to = ''): void {
  if (answer === undefined) return
  if (answer.status === status) judgeError(inspection, answer)
  else inspection.find(rule, answer, `answered ${answer.status}${to}`)
}

/** Whether a body is that of `GET /status`. */
export const isServiceStatus = (text: string): boolean => {
  try {
    return checkOf(ServiceStatusSchema).Check(JSON.parse(text))
  } catch {
    return false
  }
}

const ids = /\/(id|userId|mvId)$/

function ruleOf (type: ValueErrorType, path: string, value: unknown): RuleId {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty: return 'member-missing'
    case ValueErrorType.ObjectAdditionalProperties: return 'member-unknown'
    case ValueErrorType.Literal:
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum: return 'value-invalid'
    default: return typeof value === 'number' && ids.test(path) ? 'id-not-string' : 'type-wrong'
  }
}

/** Places that are told of one answer. */
const maximumPlaces = 20

/** Every member that is missing, unknown or wrong, with its path (protocol.md, Schemas). */
function judgeSchema (inspection: Inspection, root: Place, schema: TSchema, value: unknown): void {
  const check = checkOf(schema)
  // Looking for errors takes much longer than seeing that there are none.
  if (check.Check(value)) return
  const places = new Set<string>()
  for (const { type, path, value: wrong, message } of check.Errors(value)) {
    // A missing member is told twice: first that it is missing, then of what type it should be.
    if (places.has(path)) continue
    places.add(path)
    const rule = ruleOf(type, path, wrong)
    const seen = rule.startsWith('member') ? '' : ` instead of ${rule === 'value-invalid' ? JSON.stringify(wrong) : article(wrong)}`
    inspection.find(rule, { ...root, path: root.path + path }, message + seen)
    if (places.size === maximumPlaces) return
  }
}
