import { once } from 'node:events'
import t from 'tap'
import sourceOrigin from 'fastify-source-origin'
import { signalOf } from 'fastify-source-origin/serve'
import { shedLoad, bounds } from '../lib/protection/shed-load.ts'
import { authorized, contextOf, deferred, held, logged, settled } from './helper.ts'
import { until } from './example/helper.ts'
import { clientOf, hostKinds, hostOf } from './host-kinds.ts'

const url = '/v1/track/new'
const sent = { headers: authorized }

/** A context that gives the signal of its call to the test. */
function signalling (adapter: object) {
  const signals: AbortSignal[] = []
  const context = contextOf(adapter)
  const resolveContext: typeof context = call => {
    signals.push(call.signal)
    return context(call)
  }
  return { signals, resolveContext }
}

for (const kind of ['http2', 'http2 over TLS'] as const) {
  t.test(`${kind}: a client may send many requests at once on its connection`, async t => {
    const host = hostOf(t, kind)
    await shedLoad(host)
    const { answer, method } = held<[]>()
    let running = 0
    const getNewTracks = () => {
      running++
      return method()
    }
    await host.register(sourceOrigin, { resolveContext: contextOf({ getNewTracks }) })
    const client = await clientOf(t, host, kind)
    const answers = Array.from({ length: 50 }, () => client.ask(url, sent))
    await until(() => running === 50)
    answer.resolve([])
    t.ok((await Promise.all(answers)).every(({ status }) => status === 200))
  })
}

for (const kind of hostKinds) {
  t.test(`${kind}: the signal of a call is aborted when its client cancels it`, async t => {
    const host = hostOf(t, kind)
    const { started, method } = held()
    const { signals, resolveContext } = signalling({ getNewTracks: method })
    await host.register(sourceOrigin, { resolveContext, adapterTimeout: 0 })
    const client = await clientOf(t, host, kind)
    const { cancel } = client.send(url, sent)
    await started.promise
    t.equal(signals[0]!.aborted, false)
    const aborted = once(signals[0]!, 'abort')
    cancel()
    await aborted
    t.match(signals[0]!.reason, { message: 'The client hung up' })
  })

  t.test(`${kind}: the signal of a call that is answered is not aborted`, async t => {
    const host = hostOf(t, kind)
    const closed = deferred<void>()
    host.addHook('onRequest', async (_request, reply) => { reply.raw.once('close', closed.resolve) })
    const { signals, resolveContext } = signalling({ getNewTracks: async () => [] })
    await host.register(sourceOrigin, { resolveContext })
    const client = await clientOf(t, host, kind)
    t.equal((await client.ask(url, sent)).status, 200)
    await closed.promise
    t.equal(signals[0]!.aborted, false)
  })

  t.test(`${kind}: a signal that is made after its client has cancelled is aborted`, async t => {
    const host = hostOf(t, kind)
    const [arrived, left] = [deferred<void>(), deferred<void>()]
    const signal = deferred<AbortSignal>()
    host.addHook('onRequest', async (_request, reply) => {
      reply.raw.once('close', left.resolve)
      arrived.resolve()
      await left.promise
      signal.resolve(signalOf(reply))
    })
    await host.register(sourceOrigin, { resolveContext: () => null })
    const client = await clientOf(t, host, kind)
    const { cancel } = client.send(url, sent)
    await arrived.promise
    cancel()
    t.equal((await signal.promise).aborted, true)
  })

  for (const [title, wait] of [['runs', 'adapter'], ['waits in a hook of the host', 'hook']] as const) {
    t.test(`${kind}: a request that is cancelled while it ${title} gives its slot back`, async t => {
      const host = hostOf(t, kind)
      const closed: string[] = []
      let arrived = 0
      const goOn = deferred<void>()
      host.addHook('onRequest', async (request, reply) => {
        reply.raw.once('close', () => closed.push(request.url))
        arrived++
        if (wait === 'hook' && request.url === url) await goOn.promise
      })
      // One address gets half of the slots.
      await shedLoad(host, { ...bounds, maxRunning: 4 })
      const resolveContext = contextOf({ getNewTracks: () => new Promise(() => {}) })
      await host.register(sourceOrigin, { resolveContext, adapterTimeout: 0 })
      const client = await clientOf(t, host, kind)
      for (let i = 1; i <= 6; i++) {
        const { cancel } = client.send(url, sent)
        await until(() => arrived === i)
        cancel()
        await until(() => closed.length === i)
      }
      goOn.resolve()
      t.equal((await client.ask('/v1/status', sent)).status, 200)
    })
  }

  for (const [title, fails] of [['result', false], ['error', true]] as const) {
    t.test(`${kind}: a handlerTimeout of the host ends the call, and the ${title} of the call is ignored`, async t => {
      const { lines, logger } = logged()
      const host = hostOf(t, kind, { handlerTimeout: 5, logger })
      const settledCall = deferred<void>()
      const adapter = {
        getNewTracks: async () => {
          await once(signals[0]!, 'abort')
          settledCall.resolve()
          if (fails) throw new Error('ended')
          return []
        }
      }
      const { signals, resolveContext } = signalling(adapter)
      await host.register(sourceOrigin, { resolveContext, adapterTimeout: 0 })
      const client = await clientOf(t, host, kind)
      t.equal((await client.ask(url, sent)).status, 503)
      await settledCall.promise
      await settled()
      t.strictSame(lines.filter(({ level }) => level === 40), [], 'nothing is sent twice')
    })
  }
}
