import type { FastifyReply } from 'fastify'
import { onResponseClose } from 'fastify-source-origin/serve'
import { tracingChannel } from 'node:diagnostics_channel'

const channel = tracingChannel('fastify-source-origin.media')

/**
 * Publishes a media response on the diagnostics channel, until it is sent or its client has disconnected.
 *
 * @returns a function that adds sent bytes of the body
 */
export function publishMedia ({ raw }: FastifyReply, kind: 'audio' | 'cover'): (bytes: number) => void {
  const message = { kind, bytes: 0, status: 499 }
  channel.tracePromise(() => new Promise<void>(resolve => onResponseClose(raw, () => {
    if (raw.headersSent) message.status = raw.statusCode
    resolve()
  })), message)
  return bytes => { message.bytes += bytes }
}
