import fastify from 'fastify'
import { once } from 'node:events'
import { request, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { clientSignal } from '../../lib/async/client-signal.ts'
import { deferred } from '../helper.ts'

/** A server whose one route shows its response to the test. */
async function serve (t: Test, handle: (response: ServerResponse) => unknown) {
  const app = fastify()
  t.teardown(() => app.close())
  app.post('/', async (_request, reply) => handle(reply.raw))
  return app.listen({ host: '127.0.0.1', port: 0 })
}

const post = (url: string) =>
  request(url, { method: 'POST', headers: { 'content-type': 'text/plain' } }).on('error', () => {}).end('the body')

t.test('a client that disconnects aborts the signal', async t => {
  const asked = deferred<AbortSignal>()
  const url = await serve(t, response => {
    asked.resolve(clientSignal(response))
    return new Promise(() => {})
  })
  const client = post(url)
  const signal = await asked.promise
  t.equal(signal.aborted, false)
  const aborted = once(signal, 'abort')
  client.destroy()
  await aborted
  t.equal(signal.reason.message, 'The client disconnected')
})

t.test('a response that is complete does not abort it', async t => {
  const asked = deferred<[AbortSignal, Promise<unknown>]>()
  const url = await serve(t, response => {
    asked.resolve([clientSignal(response), once(response, 'close')])
    return 'answer'
  })
  post(url)
  const [signal, closed] = await asked.promise
  await closed
  t.equal(signal.aborted, false)
})

t.test('a client that disconnected before has aborted it', async t => {
  const asked = deferred<AbortSignal>()
  const url = await serve(t, async response => {
    response.destroy()
    await once(response, 'close')
    asked.resolve(clientSignal(response))
  })
  post(url)
  t.equal((await asked.promise).aborted, true)
})
