import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { SourceError } from '../contract/errors.ts'

/** Responses that wait until the responses to earlier requests of their connection are sent. */
const queues = new WeakMap<Socket, Set<ServerResponse>>()
/**
 * Callbacks by response. Each response has one listener, because Node.js warns of a leak from the eleventh listener on.
 */
const listenersOf = new WeakMap<ServerResponse, Array<() => void>>()

/**
 * Calls a function once, when a response is sent or its client disconnects; at once if that has already happened. Use
 * it instead of the event `close`: a client may send further requests before the first response (pipelining), and
 * Node.js before version 24 emits no `close` of their responses when the client disconnects.
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
 * Returns a signal that is aborted when the client of a response disconnects, for example for upstream requests.
 *
 * @param reply of Fastify
 */
export function signalOf ({ raw }: { readonly raw: ServerResponse }): AbortSignal {
  const left = new AbortController()
  onResponseClose(raw, () => left.abort(new SourceError(499, 'The client disconnected')))
  return left.signal
}

/** Returns whether a response is sent or its client has disconnected. */
export function isResponseClosed (response: ServerResponse): boolean {
  const isQueued = response.socket === null
  if (isQueued && response.req.socket.destroyed && !response.destroyed) destroy(response)
  // An HTTP/2 response has its own stream and no flag `destroyed`.
  const { stream = response } = response as ServerResponse & Partial<Pick<Http2ServerResponse, 'stream'>>
  return stream.destroyed
}

/**
 * Returns whether a response was sent completely while its client was connected. In HTTP/2, `writableFinished` is set
 * for cancelled responses too.
 */
export const isResponseSent = (response: ServerResponse): boolean =>
  response.writableEnded && response.writableFinished

/**
 * Emulates later versions in Node.js 20 and 22. Each socket has one listener, because it may have thousands of
 * requests.
 */
function followSocket (response: ServerResponse): void {
  const { socket } = response.req
  const queue = queues.get(socket) ?? new Set()
  if (!queues.has(socket)) {
    queues.set(socket, queue)
    // Later versions have already destroyed all of them.
    socket.once('close', () => [...queue].filter(({ destroyed }) => !destroyed).forEach(end))
  }
  queue.add(response)
  onResponseClose(response, () => queue.delete(response))
}

function end (response: ServerResponse): void {
  // Node.js has already emitted the event for the response that has the socket.
  destroy(response)
  response.emit('close')
}

function destroy (response: ServerResponse): void {
  response.destroy()
  // A stream that is sent later would wait for a `close` that was already emitted. Fastify destroys it if this flag is
  // set.
  Object.defineProperty(response, 'closed', { value: true })
}
