/**
 * Waits, and ends at once when the signal is aborted or, with `wakers`, when somebody calls what is put there.
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
