import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { signalOf } from 'fastify-source-origin/serve'

t.test('the signal of a reply is aborted when its client has left, and at once where it has left before', async t => {
  const raw = Object.assign(new EventEmitter(), { destroyed: false, socket: {} }) as unknown as ServerResponse
  const signal = signalOf({ raw })
  t.equal(signal.aborted, false)
  Object.assign(raw, { destroyed: true }).emit('close')
  t.match(signal.reason, { status: 499, message: 'The client disconnected' })
  t.equal(signalOf({ raw }).aborted, true)
})
