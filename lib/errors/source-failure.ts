import { SourceError, TimeoutError, UpstreamError } from '../contract/errors.ts'

/** Statuses that concern the request itself, or already report a failure of another service. */
const passed = new Set([400, 404, 422, 501, 502, 504])

const refusals: Readonly<Record<number, string>> = {
  401: 'refused the login',
  403: 'does not allow this',
  429: 'is asked too often'
}

/**
 * Converts an error of another source for users of this one. A status that would concern the user's own token becomes a
 * 502 that names the source. The original error is the cause, for the log.
 *
 * @param isWritten whether the message was written for users
 */
export function sourceFailure (error: unknown, name: string, isWritten: boolean): unknown {
  if (!(error instanceof SourceError) || (isWritten && passed.has(error.status))) return error
  const { status, retryAfterSeconds } = error
  const options = { cause: error, retryAfterSeconds }
  if (status === 504) return new TimeoutError(`${name} did not answer in time`, options)
  return new UpstreamError(`${name} ${refusals[status] ?? 'failed'}`, options)
}
