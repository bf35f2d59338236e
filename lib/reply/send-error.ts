import { STATUS_CODES } from 'node:http'
import { types } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ErrorResponseSchema, type ErrorResponse } from '../../schemas/index.ts'
import { SourceError } from '../contract/errors.ts'
import { ThrownValue } from '../contract/thrown-value.ts'
import { wholeSeconds } from '../contract/whole-seconds.ts'
import { withoutSecrets, withoutUrlSecrets } from '../contract/without-secrets.ts'
import { ContractError } from './contract-error.ts'
import { sendJson } from './send-json.ts'
import { forbidKeeping } from './set-caching-headers.ts'

/** `instanceof` throws for a revoked Proxy. */
export function isError (value: unknown): value is Error {
  try {
    return value instanceof Error
  } catch {
    return false
  }
}

/** Members of an error that Fastify and hooks of hosts read. */
const commonMembers = ['status', 'statusCode', 'code', 'message', 'headers', 'stack'] as const

/** The error as Fastify takes it, whatever was thrown: a member that throws when it is read would do so there. */
export function asError (thrown: unknown): Error {
  try {
    if (!types.isNativeError(thrown)) return new ThrownValue(thrown)
    for (const member of commonMembers) Reflect.get(thrown, member)
    return thrown
  } catch {
    return new ThrownValue(thrown)
  }
}

/**
 * Answers an error in the one shape that all of them have. Only an error with a status from 400 to 599 of its own keeps
 * its message (docs/contract.md, Errors).
 */
export function sendError (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status = 500, retryAfter, ...body } = readThrown(error, secretsOf(request))
  // 501 is no failure: a source offers what it has, and not every client looks first.
  if (status < 500 || status === 501) request.log.info({ reason: body.message }, 'request refused')
  else logFailure(error, request, 'request failed')

  // Also where a hook of the host fails for this answer too: no later hook of ours runs then.
  forbidKeeping(reply)
  const seconds = wholeSeconds(retryAfter)
  if (seconds !== undefined) reply.header('retry-after', String(seconds))
  const serialize = reply.getSerializationFunction(ErrorResponseSchema) ??
    reply.compileSerializationSchema(ErrorResponseSchema)
  return sendJson(reply.code(status), serialize({ ...body }))
}

/** Logs an error with what helps the author of the source, and without secrets. */
export function logFailure (error: unknown, request: FastifyRequest, message: string): void {
  const violations = error instanceof ContractError ? error.violations : undefined
  request.log.error({ err: loggable(error, secretsOf(request)), violations }, message)
}

/** What clients may know of an error. Nothing of one that cannot be read. */
export function readThrown (
  error: unknown, secrets: readonly string[]
): ErrorResponse & { status?: number, retryAfter?: unknown } {
  try {
    const { status, statusCode, code, message, retryAfter } = Object(error instanceof ThrownValue ? error.value : error)
    const known = [status, statusCode].find(isErrorStatus)
    if (known !== undefined) {
      const text = withoutSecrets(String(message || STATUS_CODES[known] || 'Error'), secrets)
      return {
        status: known,
        retryAfter,
        code: Number.isInteger(code) ? code : known,
        // The message of a SourceError was written for clients; that of any other error comes from an HTTP library.
        message: error instanceof SourceError ? text : withoutUrlSecrets(text),
        data: null
      }
    }
  } catch {
    // Answered like an error without a status.
  }
  return { code: 500, message: 'Internal server error', data: null }
}

const isErrorStatus = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599

/**
 * An error for the log: its members stay out, since HTTP clients hang requests with their headers on them.
 * The chain of causes is followed up to ten errors.
 */
export function loggable (error: unknown, secrets: readonly string[], causes = 10): Error {
  if (!isError(error)) return new ThrownValue(error)
  if (error instanceof ThrownValue) return isError(error.value) ? loggable(error.value, secrets, causes) : error
  try {
    const cause = error.cause === undefined || causes === 0 ? {} : { cause: loggable(error.cause, secrets, causes - 1) }
    const clean = (text: unknown) => withoutUrlSecrets(withoutSecrets(String(text), secrets))
    const copy = new Error(clean(error.message), cause)
    copy.stack = clean(error.stack)
    return copy
  } catch {
    return new ThrownValue(error)
  }
}

/** The error of a call for the others who wait for it: without the secrets of the caller who started it. */
export function shareable (thrown: unknown, request: FastifyRequest): Error {
  const error = asError(thrown)
  const secrets = secretsOf(request)
  const { status, message, code, retryAfter } = readThrown(error, secrets)
  const { message: logged, cause, stack } = loggable(error, secrets)
  const copy = error instanceof SourceError
    ? new SourceError(error.status, message)
    : new Error(status === undefined ? logged : message)
  return Object.assign(copy, status !== undefined && { status, code, retryAfter }, { cause, stack })
}

/** Words of an `Authorization` header that are looked for in texts: a scheme, and the parts of a secret. */
const mostWords = 16

/** The caller's `Authorization` header, and the token in it. */
function secretsOf (request: FastifyRequest): string[] {
  const authorization = request.headers.authorization?.trim() ?? ''
  return [authorization, ...authorization.split(/\s+/, mostWords).slice(1)]
}
