import type { ServerResponse } from 'node:http'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import { isResponseClosed, onResponseClose } from '../async/on-response-close.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { RateLimitedError } from '../contract/errors.ts'
import type { CurrentCall } from '../request/index.ts'
import { SubsonicError } from './subsonic-error.ts'

/** Long answers of an account at a time: each takes megabytes until its client has read it. */
const most = 4
/**
 * Milliseconds without progress after which the client of a long answer counts as gone: a phone that loses its network
 * closes nothing. It can take Node.js twice as long, since what the system's buffer took at first is progress.
 */
const longestPause = 30_000
/** Milliseconds that a further one waits, long enough for the places of clients that have gone to be free again. */
const longestWait = 3 * longestPause

export const hungUp = () => new SubsonicError(0, 'The client hung up')
const tooMany = () => new RateLimitedError('Your account has too many long answers at a time', { retryAfter: 10 })

/** An answer that may be long. */
export interface LongAnswer {
  /**
   * Waits for a place of the account, which the answer has until its response is sent or its client has left. Called
   * again now and then while the answer is made.
   *
   * @throws SubsonicError where the client has left; RateLimitedError (429) after a minute and a half
   */
  readonly takePlace: () => Promise<void>
  /** Called before it is sent: an answer with a place is cut off when its client reads nothing for too long. */
  readonly limitPauses: () => void
}

/** Limits the long answers of each account. */
export function limitLongAnswers () {
  const limit = limitConcurrency({ ofKey: most })

  return (account: string, call: CurrentCall, response: ServerResponse): LongAnswer => {
    let place: Promise<void> | undefined
    const hold = (begin: () => void) => new Promise<void>(resolve => {
      begin()
      onResponseClose(response, resolve)
    })
    const take = () => withTimeout(({ signal }) => new Promise<void>((resolve, reject) => {
      limit(() => hold(resolve), { key: account, signal }).catch(reject)
    }), { timeout: longestWait, signal: call.signal, error: tooMany })
    return {
      async takePlace () {
        try {
          await (place ??= take())
        } catch (error) {
          if (!isResponseClosed(response)) throw error
        }
        if (isResponseClosed(response)) throw hungUp()
      },
      limitPauses () {
        if (place === undefined) return
        response.setTimeout(longestPause, () => response.destroy())
        // Of the connection: what comes behind it has the time that it had. Node.js limits an idle one after that.
        response.prependOnceListener('finish', () => { response.req.socket.setTimeout?.(0) })
      }
    }
  }
}
