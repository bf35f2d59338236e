import type { ServerResponse } from 'node:http'
import { limitConcurrency } from '../async/limit-concurrency.ts'
import { isResponseClosed, onResponseClose } from '../async/on-response-close.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { RateLimitedError } from '../contract/errors.ts'
import type { CurrentCall } from '../request/index.ts'
import { SubsonicError } from './subsonic-error.ts'

/** The maximum number of concurrent long responses of an account. Each uses megabytes until its client has read it. */
const maxPerAccount = 4
/**
 * The timeout in milliseconds without progress, after which the client of a long response counts as disconnected: a
 * phone that loses its network closes nothing. Node.js may take twice as long, since data accepted by the system's
 * buffer counts as progress.
 */
const longestPause = 30_000
/** The maximum wait for a slot in milliseconds, long enough to release the slots of disconnected clients. */
const longestWait = 3 * longestPause

export const hungUp = () => new SubsonicError(0, 'The client hung up')
const tooMany = () => new RateLimitedError(
  'Your account has too many long answers at a time', { retryAfterSeconds: 10 }
)

/** A response that may be long. */
export interface LongAnswer {
  /**
   * Waits for a slot of the account. The response holds it until it is sent or its client disconnects. Call it
   * periodically while the response is built.
   *
   * @throws SubsonicError if the client has disconnected; RateLimitedError (429) after 90 seconds
   */
  readonly takePlace: () => Promise<void>
  /** Called before the response is sent. A response with a slot is closed if its client reads nothing for too long. */
  readonly limitPauses: () => void
}

/** Limits the concurrent long responses of each account. */
export function limitLongAnswers () {
  const limit = limitConcurrency({ ofKey: maxPerAccount })

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
        // Resets the timeout of the connection for later requests. Node.js limits idle connections separately.
        response.prependOnceListener('finish', () => { response.req.socket.setTimeout?.(0) })
      }
    }
  }
}
