import type { TracingChannel } from 'node:diagnostics_channel'
import { promiseOf } from '../async/promise-of.ts'
import { asError } from '../errors/as-error.ts'
import { loggable } from '../errors/loggable.ts'
import { errorStatus, readError } from '../errors/read-error.ts'
import type { TracedCall } from './channels.ts'

/** The status of a call whose client has disconnected, as in nginx. */
export const hungUp = 499

type Channel<M extends object> = TracingChannel<unknown, M>

/**
 * Runs a function that reports the end of its call with a callback; only the first report counts. Every call has the
 * events `start`, `end`, `asyncStart` and `asyncEnd`, and `error` before the last two if it failed.
 *
 * @param secrets the secrets to remove from the message of an error
 */
export function traceCallback<M extends TracedCall, T> (
  channel: Channel<M>, message: M, secrets: readonly string[], run: (end: (error?: unknown) => void) => T
): T {
  let isOver = false
  let hasReturned = false
  const tell = () => {
    if (message.error !== undefined) channel.error.publish(message)
    channel.asyncStart.publish(message)
    channel.asyncEnd.publish(message)
  }
  const end = (error?: unknown) => {
    if (isOver) return
    isOver = true
    if (error !== undefined) {
      message.status ??= readError(error, []).status ?? 500
      message.error = loggable(error, secrets)
    } else message.status ??= 200
    if (hasReturned) tell()
  }
  const leave = () => {
    hasReturned = true
    channel.end.publish(message)
    if (isOver) tell()
  }
  return channel.start.runStores(message, () => {
    let result: T
    try {
      result = run(end)
    } catch (error) {
      end(asError(error))
      leave()
      throw error
    }
    leave()
    return result
  })
}

/**
 * Runs a function whose call ends when it returns, or when its promise settles.
 *
 * @param options `onResult` may complete the message; an aborted `signal` ends the call for subscribers
 */
export function trace<M extends TracedCall, T> (
  channel: Channel<M>, message: M, run: () => T | Promise<T>,
  { secrets = [], signal, onResult }: {
    secrets?: readonly string[], signal?: AbortSignal, onResult?: (result: T) => void
  } = {}
): T | Promise<T> {
  return traceCallback(channel, message, secrets, end => {
    const result = run()
    const promise = promiseOf(result)
    if (promise === undefined) {
      onResult?.(result as T)
      end()
      return result
    }
    signal?.addEventListener('abort', () => {
      message.status ??= errorStatus(Object(signal.reason)) ?? hungUp
      end(signal.reason)
    }, { once: true })
    promise.then(result => {
      onResult?.(result)
      end()
    }, error => end(asError(error)))
    return promise
  })
}
