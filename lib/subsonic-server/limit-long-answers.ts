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
 * Milliseconds without a byte after which the client of a long answer has left: phones do without a word. Node.js ends
 * it after up to twice as many, since it sees only then what the system took in the first ones.
 */
const longestPause = 30_000
/** Milliseconds that a further one waits: until places of clients that have left are free. */
const longestWait = 3 * longestPause

export const hungUp = () => new SubsonicError(0, 'The client hung up')
const tooMany = () => new RateLimitedError('Your account has too many long answers at a time', { retryAfter: 10 })

/** An answer that may be long. */
export interface LongAnswer {
  /**
   * Waits for a place of the account, which the answer has until its response is sent or its client has left. To be
   * called again now and then while it is made.
   *
   * @throws SubsonicError where the client has left; RateLimitedError (429) after a minute and a half
   */
  readonly takePlace: () => Promise<void>
  /** To be called before it is sent: with a place it ends where its client reads nothing for too long. */
  readonly limitPauses: () => void
}

/** Limits the long answers of each account. */
export function limitLongAnswers () {
  const limit = limitConcurrency(most)

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
        if (place !== undefined) response.setTimeout(longestPause, () => response.destroy())
      }
    }
  }
}
