/** The timeout of a file or folder in milliseconds. A later scan tries it again. */
export const timeLimit = 30_000

/** An error after which another scan may succeed with the unchanged file. */
export class AwayError extends Error {}

/** Returns the error for a timeout. @param task for example `read` */
export const timeoutError = (task: string): AwayError =>
  new AwayError(`It takes longer than ${timeLimit / 1000} seconds to ${task} it`)

/**
 * Returns the result of work with a time limit. After a timeout the work continues in the background.
 *
 * @param task for example `read`, for the error
 * @throws AwayError
 */
export async function inTime<T> (task: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(timeoutError(task)), timeLimit).unref()
  try {
    return await unlessAborted(work(giveUp.signal), giveUp.signal)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the result of work, or throws the reason of the signal when it is aborted; the work then continues in the
 * background.
 */
export async function unlessAborted<T> (work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop!: () => void
  const aborted = new Promise<void>(resolve => { stop = resolve })
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await Promise.race([work, aborted])
    signal.throwIfAborted()
    return await work
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
