import { BadRequestError, SourceError } from '../contract/errors.ts'

/** The parts of an error of openid-client that contain no token, code or secret. */
function causeOf (error: unknown): Error {
  const { name, code, error: reason, cause } = Object(error) as Record<string, unknown>
  const inner = Object(cause) as Record<string, unknown>
  const facts = [name, code, reason, inner.code, inner.claim].filter(fact => typeof fact === 'string')
  return new Error([...new Set(facts)].join(' '))
}

/** Returns whether the provider has not answered, or has failed itself. */
function isDown (error: unknown): boolean {
  const { name, code, status } = Object(error) as Record<string, unknown>
  return name === 'TypeError' || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' ||
    (typeof status === 'number' && status >= 500)
}

export const providerDown = (error: unknown) => new SourceError(
  503, 'The provider cannot be reached: try again later, or sign in with a token',
  { cause: causeOf(error), retryAfterSeconds: 10 }
)

/** Converts an error of a sign-in to one with a sentence for the person, and with a cause without secrets. */
export function failureOf (error: unknown, redirectUri: string): SourceError {
  const { name, error: reason } = Object(error) as Record<string, unknown>
  const cause = causeOf(error)
  if (name === 'AuthorizationResponseError') {
    return new BadRequestError(`The provider has ended the sign-in: ${String(reason).slice(0, 100)}`, { cause })
  }
  if (isDown(error)) return providerDown(error)
  if (name !== 'ResponseBodyError') {
    return new BadRequestError('The response of the provider is not valid: sign in again', { cause })
  }
  return reason === 'invalid_grant'
    ? new BadRequestError('This sign-in was used already or took too long: sign in again', { cause })
    : new BadRequestError(
      `The provider rejects this server: ${String(reason).slice(0, 100)}. Its redirect URI is ${redirectUri}`,
      { cause }
    )
}

/** Returns an error of a check as 403 if the provider has rejected the person, else as 503. */
export const rejectionOf = (error: unknown): SourceError =>
  (error as { error?: unknown }).error === 'invalid_grant'
    ? new SourceError(403, 'The provider rejects the person', { cause: causeOf(error) })
    : providerDown(error)
