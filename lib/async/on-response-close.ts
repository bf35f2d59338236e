import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { SourceError } from '../contract/errors.ts'

/** The responses of a connection that wait until those of earlier requests are sent. */
const queues = new WeakMap<Socket, Set<ServerResponse>>()
/** What is called for a response. One listener for each: Node.js warns of a leak from the eleventh on. */
const listenersOf = new WeakMap<ServerResponse, Array<() => void>>()

/**
 * Calls a function once, when a response is sent or its client has left; at once where that has happened. Use it
 * instead of the event `close`: a client may send further requests before the first one is answered (pipelining), and
 * Node.js before version 24 emits no `close` of their responses when the client leaves.
 *
 * @param response of an HTTP request, `reply.raw` in Fastify
 */
export function onResponseClose (response: ServerResponse, listener: () => void): void {
  if (isResponseClosed(response)) return listener()
  const others = listenersOf.get(response)
  if (others !== undefined) {
    others.push(listener)
    return
  }
  const listeners = [listener]
  listenersOf.set(response, listeners)
  response.once('close', () => { for (const listener of listeners) listener() })
  if (response.socket === null) followSocket(response)
}

/**
 * A signal that is aborted when the client of a response has left, for example for what is read to answer it.
 *
 * @param reply of Fastify
 */
export function signalOf ({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  const left = new AbortController()
  onResponseClose(raw, () => left.abort(new SourceError(499, 'The client disconnected')))
  return left.signal
}

/** Whether a response is sent or its client has left. */
export function isResponseClosed (response: ServerResponse): boolean {
  const isQueued = response.socket === null
  if (isQueued && response.req.socket.destroyed && !response.destroyed) destroy(response)
  // A response of HTTP/2 has a stream of its own, and does not say whether it is destroyed.
  const { stream = response } = response as ServerResponse & Partial<Pick<Http2ServerResponse, 'stream'>>
  return stream.destroyed
}

/**
 * Whether a response is complete: its client got it, or was still there. The flag `writableFinished` of HTTP/2 is set
 * for one that was cancelled too.
 */
export const isResponseSent = (response: ServerResponse): boolean =>
  response.writableEnded && response.writableFinished

/** Makes Node.js 20 and 22 do what later ones do. One listener for each socket: it may have thousands of requests. */
function followSocket (response: ServerResponse): void {
  const { socket } = response.req
  const queue = queues.get(socket) ?? new Set()
  if (!queues.has(socket)) {
    queues.set(socket, queue)
    // Later versions have destroyed all of them by now.
    socket.once('close', () => [...queue].filter(({ destroyed }) => !destroyed).forEach(end))
  }
  queue.add(response)
  onResponseClose(response, () => queue.delete(response))
}

function end (response: ServerResponse): void {
  // Node.js has told of the one that has the socket.
  destroy(response)
  response.emit('close')
}

function destroy (response: ServerResponse): void {
  response.destroy()
  // A stream sent from now on would wait for a `close` that has been emitted. Fastify destroys it if this is set.
  Object.defineProperty(response, 'closed', { value: true })
}
