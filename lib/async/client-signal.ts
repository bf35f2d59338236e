import type { Closable } from './timed-call.ts'

/** Aborted when the client of a response disconnects, and when the response is sent: nothing waits for it then. */
export function clientSignal (response: Pick<Closable, 'destroyed' | 'once'>): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new Error('The client hung up'))
  if (response.destroyed) abort()
  else response.once('close', abort)
  return controller.signal
}
