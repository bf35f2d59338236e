/**
 * Waits for a time. Ends at once when the signal is aborted or when a function in `wakers` is called.
 *
 * @throws the signal's reason
 */
export function sleep (milliseconds: number, signal?: AbortSignal, wakers?: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      wakers?.delete(end)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, Math.ceil(milliseconds))
    wakers?.add(end)
    signal?.addEventListener('abort', end)
  })
}
