import {
  NotFoundError, RateLimitedError, TimeoutError, UnauthorizedError, UnplayableError, UpstreamError
} from '../contract/errors.ts'

/** What listeners read of each class. Where the call went is in the cause, for the log only. */
const messages = new Map<typeof UpstreamError, string>([
  [NotFoundError, 'The music service does not have this'],
  [RateLimitedError, 'The music service is asked too often'],
  [TimeoutError, 'The music service did not answer in time'],
  [UnauthorizedError, 'The music service refused the login'],
  [UnplayableError, 'The music service does not play this'],
  [UpstreamError, 'The music service failed']
])

/**
 * @param detail the request and what became of it
 * @param seconds after which another call may work
 * @param said what the upstream said of it
 */
export const upstreamError = (ErrorClass: typeof UpstreamError, detail: string, seconds?: number, said?: Error) =>
  new ErrorClass(messages.get(ErrorClass), {
    cause: new Error(detail, { cause: said }), retryAfter: seconds === undefined ? undefined : Math.ceil(seconds)
  })
