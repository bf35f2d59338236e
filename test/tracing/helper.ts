import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import type { Test } from 'tap'

const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const

/** Names of the channels after their prefix. */
export const traced = ['context', 'operation', 'adapter', 'upstream', 'session', 'media', 'transcode'] as const

interface Heard { channel: string, event: string, message: Record<string, unknown>, inside: string[] }

/**
 * Subscribes to all tracing channels until the test ends. `heard` has each event with the message as it was then, and
 * the names of the calls that it is inside of. `bus` emits them too.
 */
export function hear (t: Test) {
  const heard: Heard[] = []
  const bus = new EventEmitter()
  const storage = new AsyncLocalStorage<string[]>()
  for (const name of traced) {
    const channel: TracingChannel<any, any> = tracingChannel(`fastify-source-origin.${name}`)
    const handlers = Object.fromEntries(events.map(event => [event, (message: object) => {
      heard.push({ channel: name, event, message: { ...message }, inside: storage.getStore() ?? [] })
      bus.emit(`${name}:${event}`, message)
    }])) as any
    channel.subscribe(handlers)
    channel.start.bindStore(storage, () => [...storage.getStore() ?? [], name])
    t.teardown(() => {
      channel.unsubscribe(handlers)
      channel.start.unbindStore(storage)
    })
  }
  const of = (channel: string, event = 'asyncEnd') =>
    heard.filter(one => one.channel === channel && one.event === event).map(({ message }) => message)
  return { heard, bus, of }
}
