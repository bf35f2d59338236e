import type { ServerResponse } from 'node:http'

/**
 * A signal that is aborted when the client disconnects before the response is complete.
 * Fastify's `request.signal` is not used: it is aborted as soon as the body of a POST is read.
 */
export function clientSignal (response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const onClose = () => {
    if (!response.writableFinished) controller.abort(new Error('The client disconnected'))
  }
  // The client may have disconnected before.
  if (response.destroyed) onClose()
  else response.once('close', onClose)
  return controller.signal
}
