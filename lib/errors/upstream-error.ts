import {
  NotFoundError, RateLimitedError, TimeoutError, UnauthorizedError, UnplayableError, UpstreamError
} from '../contract/errors.ts'

/** The public message of each class. The cause contains the address of the call, for the log only. */
const messages = new Map<typeof UpstreamError, string>([
  [NotFoundError, 'The music service does not have this'],
  [RateLimitedError, 'The music service is asked too often'],
  [TimeoutError, 'The music service did not answer in time'],
  [UnauthorizedError, 'The music service refused the login'],
  [UnplayableError, 'The music service does not play this'],
  [UpstreamError, 'The music service failed']
])

/**
 * @param detail the request and its result
 * @param seconds the delay after which another call may work
 * @param said the error message of the upstream
 */
export const upstreamError = (ErrorClass: typeof UpstreamError, detail: string, seconds?: number, said?: Error) =>
  new ErrorClass(messages.get(ErrorClass), {
    cause: new Error(detail, { cause: said }), retryAfterSeconds: seconds === undefined ? undefined : Math.ceil(seconds)
  })
