import http from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { createSourceCache, type SourceCacheOptions } from 'fastify-source-origin/cache'
import { build, deferred } from '../helper.ts'
import { serve, track } from './helper.ts'

const path = '/v1/track?id=1'

/** Long enough for an injected request to reach the adapter. */
const turns = async () => { for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate) }

/** A source that listens; its adapter answers when the test says. */
async function listen (t: Test, { adapterTimeout = 0, scope = 'account' as 'account' | 'none' } = {}) {
  const calls: { signal: AbortSignal, answer: ReturnType<typeof deferred<object>> }[] = []
  const called = deferred<void>()
  const asked: (() => void)[] = []
  const app = await build(t, {
    adapterTimeout,
    cache: createSourceCache({ operations: { getTrackDetail: { scope, staleWhileRevalidate: 0 } } }),
    resolveContext: ({ signal }) => {
      asked.shift()?.()
      return {
        account: 'ada',
        adapter: {
          getTrackDetail () {
            const answer = deferred<any>()
            calls.push({ signal, answer })
            called.resolve()
            return answer.promise
          }
        }
      }
    }
  })
  await app.listen()
  const { port } = app.server.address() as AddressInfo
  const send = () => {
    const request = http.get({ port, path })
    request.on('error', () => {})
    return request
  }
  const isAsked = () => new Promise<void>(resolve => asked.push(resolve))
  return { app, calls, called: called.promise, send, isAsked }
}

const read = async (request: http.ClientRequest) => {
  const [response] = await once(request, 'response') as [http.IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, body: JSON.parse(text) }
}

/** Resolves when the server has seen that the next client to come is gone. */
const nextGone = (app: FastifyInstance) =>
  new Promise<void>(resolve =>
    app.server.once('connection', socket => socket.once('close', () => setImmediate(resolve))))

t.test('the call goes on when the client that began it hangs up, and answers who waits and the next', async t => {
  const { app, calls, called, send, isAsked } = await listen(t)
  const closed = nextGone(app)
  const first = send()
  await called
  const joined = isAsked()
  const second = send()
  const answer = read(second)
  await joined
  first.destroy()
  await closed
  t.equal(calls[0]!.signal.aborted, false)
  calls[0]!.answer.resolve(track)
  t.match(await answer, { status: 200, body: { data: { id: '1' } } })
  t.match(await read(send()), { status: 200 })
  t.equal(calls.length, 1)
})

t.test('when all have hung up, the answer is kept for the next', async t => {
  const { app, calls, called, send } = await listen(t)
  const closed = nextGone(app)
  const request = send()
  await called
  request.destroy()
  await closed
  calls[0]!.answer.resolve(track)
  t.match(await read(send()), { status: 200 })
  t.equal(calls.length, 1)
})

t.test('in scope none the signal follows the client as without a cache', async t => {
  const { calls, called, send } = await listen(t, { scope: 'none' })
  const request = send()
  await called
  const aborted = once(calls[0]!.signal, 'abort')
  request.destroy()
  await aborted
  t.equal(calls[0]!.signal.aborted, true)
  calls[0]!.answer.resolve(track)
})

t.test('a client that has gone before the call starts no flight: nobody joins what is aborted', async t => {
  const resolving = deferred<void>()
  const context = deferred<void>()
  const gate = deferred<void>()
  const signals: boolean[] = []
  const app = await build(t, {
    cache: createSourceCache(),
    resolveContext: async ({ signal, request }) => {
      if (request.headers['x-first'] !== undefined) { resolving.resolve(); await context.promise } else {
        setImmediate(
          gate.resolve
        )
      }
      return {
        account: 'ada',
        adapter: {
          getTrackDetail: async () => {
            signals.push(signal.aborted)
            await gate.promise
            signal.throwIfAborted()
            return track
          }
        }
      }
    }
  })
  await app.listen()
  const { port } = app.server.address() as AddressInfo
  const closed = nextGone(app)
  const first = http.get({ port, path, headers: { 'x-first': 'yes' } }).on('error', () => {})
  await resolving.promise
  first.destroy()
  await closed
  context.resolve()
  const [response] = await once(http.get({ port, path }), 'response') as [http.IncomingMessage]
  response.resume()
  t.equal(response.statusCode, 200)
  t.strictSame(signals, [true, false])
})

t.test('each reader has its own time limit, and the call has its own, at which its signal is aborted', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const calls: AbortSignal[] = []
  const app = await build(t, {
    adapterTimeout: 1000,
    cache: createSourceCache(),
    resolveContext: ({ signal }) => ({
      account: 'ada', adapter: { getTrackDetail: () => { calls.push(signal); return new Promise<never>(() => {}) } }
    })
  })
  const turn = () => new Promise(setImmediate)
  const first = app.inject(path)
  while (calls.length === 0) await turn()
  mock.timers.tick(600)
  const second = app.inject(path)
  await turns()
  t.equal(calls.length, 1)
  mock.timers.tick(399)
  t.equal(calls[0]!.aborted, false)
  mock.timers.tick(1)
  t.strictSame([(await first).statusCode, (await second).statusCode], [504, 504])
  t.equal(calls[0]!.aborted, true)
  t.match(calls[0]!.reason, { status: 504 })
})

t.test('at the time limit of a refresh the kept answer is sent, although the reader\'s limit is the same', async t => {
  let calls = 0
  const app = await build(t, {
    adapterTimeout: 20,
    cache: createSourceCache({ operations: { getTrackDetail: { ttl: 0.000_001, staleWhileRevalidate: 0 } } }),
    resolveContext: () => ({
      account: 'ada',
      adapter: { getTrackDetail: () => ++calls === 1 ? Promise.resolve(track) : new Promise<never>(() => {}) }
    })
  })
  await app.inject(path)
  t.equal((await app.inject(path)).statusCode, 200)
  t.equal(calls, 2)
})

/** A source without room for answers, whose adapter answers with the title that the test says, when it says. */
async function gated (t: Test, options: SourceCacheOptions = {}) {
  const calls: ReturnType<typeof deferred<string>>[] = []
  const { ask } = await serve(t, {
    options: { maxSize: 0, ...options },
    adapter: {
      async getTrackDetail (id: string) {
        const title = deferred<string>()
        calls.push(title)
        return { ...track, id, title: await title.promise }
      },
      favoriteTrack () {}
    }
  })
  const start = async (id: string) => (await ask(`/v1/track?id=${id}`)).json().data.title as string
  const change = (id: string) => ask('/v1/track/favorite', { method: 'POST', payload: { id, status: true } })
  return { calls, start, change }
}

t.test('nobody joins a call that is over, whatever is under way by then', async t => {
  const { calls, start } = await gated(t)
  const first = start('1')
  await turns()
  calls[0]!.resolve('first')
  t.equal(await first, 'first')
  const other = start('2')
  const second = start('1')
  await turns()
  t.equal(calls.length, 3)
  calls[1]!.resolve('other')
  calls[2]!.resolve('second')
  t.strictSame([await other, await second], ['other', 'second'])
})

t.test('a call that began after a change is joined, also when one from before it has ended since', async t => {
  const { calls, start, change } = await gated(t)
  const before = start('1')
  await turns()
  await change('1')
  const after = start('1')
  await turns()
  calls[0]!.resolve('before')
  t.equal(await before, 'before')
  const joined = start('1')
  await turns()
  t.equal(calls.length, 2)
  calls[1]!.resolve('after')
  t.strictSame([await after, await joined], ['after', 'after'])
})

t.test('calls that are over are held no longer: a change asks affects of those under way only', async t => {
  const asked: unknown[] = []
  const { calls, start, change } = await gated(t, {
    operations: { getTrackDetail: { scope: 'public' } },
    affects: (_change, { args }) => { asked.push(args); return false }
  })
  for (const index of [0, 1]) {
    const answer = start('1')
    await turns()
    calls[index]!.resolve('over')
    await answer
  }
  const underWay = start('2')
  await turns()
  await change('3')
  t.strictSame(asked, [['2']])
  calls[2]!.resolve('landed')
  t.equal(await underWay, 'landed')
})
