/** Milliseconds that the system may take for a file or a folder: one that does not answer is tried again in a scan. */
export const timeLimit = 30_000

/** What another scan may read as it is. */
export class AwayError extends Error {}

/** @param task for example `read` */
export const lateError = (task: string): AwayError =>
  new AwayError(`It takes longer than ${timeLimit / 1000} seconds to ${task} it`)

/**
 * What the work gives within the time limit. It is then left to itself.
 *
 * @param task for example `read`, for the error
 * @throws AwayError
 */
export async function inTime<T> (task: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(lateError(task)), timeLimit).unref()
  try {
    return await unlessAborted(work(giveUp.signal), giveUp.signal)
  } finally {
    clearTimeout(timer)
  }
}

/** What the work gives, or the reason of the signal as soon as it is aborted: the work is then left to itself. */
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
