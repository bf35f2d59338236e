import { STATUS_CODES } from 'node:http'
import type { ErrorResponse } from '../../schemas/index.ts'
import { SourceError } from '../contract/errors.ts'
import { ThrownValue } from './thrown-value.ts'
import { withoutSecrets, withoutUrlSecrets } from './without-secrets.ts'

/** Returns the public part of an error; an internal server error if it cannot be read. */
export function readError (
  error: unknown, secrets: readonly string[]
): ErrorResponse & { status?: number, retryAfterSeconds?: unknown } {
  try {
    const {
      status, statusCode, code, message, retryAfterSeconds
    } = Object(error instanceof ThrownValue ? error.value : error)
    const known = errorStatus({ status, statusCode })
    if (known !== undefined) {
      const text = withoutSecrets(String(message || STATUS_CODES[known] || 'Error'), secrets)
      return {
        status: known,
        retryAfterSeconds,
        code: Number.isInteger(code) ? code : known,
        // The message of a SourceError was written for clients. The message of any other error comes from an HTTP
        // library.
        message: error instanceof SourceError ? text : withoutUrlSecrets(text),
        data: null
      }
    }
  } catch {
    // Handled like an error without a status.
  }
  return { code: 500, message: 'Internal server error', data: null }
}

/** Returns the status of an error: `status` or `statusCode`, from 400 to 599. */
export const errorStatus = ({ status, statusCode }: { status?: unknown, statusCode?: unknown }): number | undefined =>
  [status, statusCode].find((value): value is number =>
    Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599)
