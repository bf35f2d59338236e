import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import type { ContextRequest, SourceAdapter } from 'fastify-source-origin'
import { authorized, build, deferred, logged, callOf } from '../helper.ts'
import { operationOf } from '../../lib/contract/operations.ts'

const never = () => new Promise<never>(() => {})
const calls = { GET: callOf(operationOf('getNewTracks')), POST: callOf(operationOf('createPlaylist')) }
const methods = { GET: 'getNewTracks', POST: 'createPlaylist' } as const

/** Sends the request over a socket, so that the client can hang up. */
async function send (app: FastifyInstance, method: keyof typeof calls): Promise<http.ClientRequest> {
  await app.listen()
  const { port } = app.server.address() as AddressInfo
  const { url, payload } = calls[method]
  const request = http.request({ port, method, path: String(url), headers: { 'content-type': 'application/json' } })
  request.on('error', () => {})
  request.end(method === 'POST' ? JSON.stringify(payload) : undefined)
  return request
}

t.test('`then` of what an adapter and resolveContext return is read once', async t => {
  const reads: string[] = []
  const once = <T>(name: string, value: T): any => ({
    get then () {
      reads.push(name)
      return (resolve: (value: T) => void) => resolve(value)
    }
  })
  const app = await build(t, {
    resolveContext: () => once('context', { adapter: { getNewTracks: () => once('adapter', []) }, stateless: false })
  })
  t.strictSame((await app.inject(calls.GET)).json(), { code: 200, data: [] })
  t.strictSame(reads, ['context', 'adapter'])
})

for (const method of ['GET', 'POST'] as const) {
  t.test(`${method}: an adapter method that does not answer in time is a 504, and the signal is aborted`, async t => {
    let signal: AbortSignal | undefined
    const app = await build(t, {
      adapterTimeout: 5,
      resolveContext: request => {
        signal = request.signal
        return { adapter: { [methods[method]]: never }, stateless: false }
      }
    })
    const response = await app.inject(calls[method])
    t.strictSame(response.json(), { code: 504, message: 'The source did not answer within 5 ms', data: null })
    t.equal(signal?.aborted, true)
    t.match(signal?.reason, { status: 504 })
  })

  t.test(`${method}: resolveContext that does not answer in time is a 504, and the log names it`, async t => {
    const { lines, logger } = logged()
    const app = await build(t, { adapterTimeout: 5, resolveContext: never }, { logger })
    t.equal((await app.inject(calls[method])).statusCode, 504)
    t.match(lines.find(({ level }) => level === 50), { failed: 'resolveContext', operation: methods[method] })
  })

  t.test(`${method}: a token that resolveContext refuses is no failure of it in the log`, async t => {
    const { lines, logger } = logged()
    const app = await build(t, { resolveContext: () => null }, { logger })
    t.equal((await app.inject(calls[method])).statusCode, 401)
    t.ok(lines.every(line => !('failed' in line)))
  })

  t.test(`${method}: what fails for a client that has left is no error in the log`, async t => {
    const { lines, logger } = logged()
    const failed = deferred<void>()
    const app = await build(t, {
      resolveContext: ({ signal }) => ({
        adapter: {
          [methods[method]]: async () => {
            signal.addEventListener('abort', () => failed.resolve())
            request.destroy()
            await failed.promise
            signal.throwIfAborted()
          }
        },
        stateless: false
      })
    }, { logger })
    const request = await send(app, method)
    await failed.promise
    await app.close()
    t.match(lines.filter(({ err }) => err !== undefined),
      [{ level: 30, msg: 'request aborted', err: { message: 'The client hung up' } }])
  })

  t.test(`${method}: a client that hangs up aborts the signal`, async t => {
    const aborted = deferred<AbortSignal>()
    const app = await build(t, {
      resolveContext: ({ signal }) => {
        signal.addEventListener('abort', () => aborted.resolve(signal))
        return { adapter: { [methods[method]]: () => { request.destroy(); return never() } }, stateless: false }
      },
      adapterTimeout: 0
    })
    const request = await send(app, method)
    t.equal((await aborted.promise).reason.message, 'The client hung up')
  })

  t.test(`${method}: a signal that nobody has read yet is aborted once the client has gone`, async t => {
    const read = deferred<AbortSignal>()
    const app = await build(t, {
      resolveContext: call => ({
        adapter: {
          [methods[method]]: async () => {
            request.destroy()
            await once(call.request.raw.socket, 'close')
            read.resolve(call.signal)
          }
        },
        stateless: false
      })
    })
    const request = await send(app, method)
    t.equal((await read.promise).aborted, true)
  })

  t.test(`${method}: the signal of a request that is answered is never aborted`, async t => {
    let signal: AbortSignal | undefined
    const app = await build(t, {
      resolveContext: request => {
        signal = request.signal
        return { adapter: {}, stateless: false }
      }
    })
    await app.listen()
    const { port } = app.server.address() as AddressInfo
    const response = await fetch(`http://localhost:${port}${calls[method].url}`, {
      method, headers: { 'content-type': 'application/json' }, ...method === 'POST' && { body: '{"name":"a"}' }
    })
    t.equal(response.status, 501)
    await response.text()
    await app.close()
    t.equal(signal?.aborted, false)
  })
}

for (const settle of ['resolve', 'reject'] as const) {
  t.test(`a call that comes to ${settle} after the time-out is ignored`, async t => {
    const late = deferred<never>()
    const { lines, logger } = logged()
    const app = await build(t, {
      adapterTimeout: 5,
      resolveContext: () => ({ adapter: { getNewTracks: () => late.promise } })
    }, { logger })
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    t.teardown(() => process.off('unhandledRejection', note))
    t.equal((await app.inject(calls.GET)).statusCode, 504)
    const logged504 = lines.length
    late[settle](new Error('Too late') as never)
    await new Promise(resolve => setImmediate(resolve))
    t.strictSame(unhandled, [])
    t.strictSame(lines.slice(logged504), [])
  })
}

t.test('an adapter that rejects because of the abort does not change the 504', async t => {
  const app = await build(t, {
    adapterTimeout: 5,
    resolveContext: ({ signal }) => ({
      adapter: {
        getNewTracks: () =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('Stopped'))))
      }
    })
  })
  t.equal((await app.inject(calls.GET)).statusCode, 504)
})

t.test('a signal that is read after the time-out is aborted already', async t => {
  let call: ContextRequest | undefined
  const app = await build(t, {
    adapterTimeout: 5,
    resolveContext: request => {
      call = request
      return { adapter: { getNewTracks: never } }
    }
  })
  await app.inject(calls.GET)
  t.match(call?.signal.reason, { status: 504 })
  t.equal(call?.signal, call?.signal)
})

t.test('adapterTimeout 0 is no limit', async t => {
  const made = t.capture(globalThis, 'setTimeout', setTimeout)
  const app = await build(t, {
    adapterTimeout: 0,
    resolveContext: async () => ({ adapter: { getNewTracks: async () => [] } as SourceAdapter })
  })
  t.equal((await app.inject(calls.GET)).statusCode, 200)
  t.strictSame(made().filter(({ args }) => args[1] === 0), [])
})

t.test('resolveContext gets the header as it came, and the request', async t => {
  const seen: unknown[] = []
  const app = await build(t, {
    resolveContext: ({ authorization, request }) => {
      seen.push(authorization, request.headers['x-other'])
      return null
    }
  })
  await app.inject({ url: '/v1/status', headers: { ...authorized, 'x-other': 'y' } })
  await app.inject('/v1/status')
  t.strictSame(seen, [authorized.authorization, 'y', undefined, undefined])
})

t.test('a call that is waited for when a host without a socket closes still ends in time', async t => {
  const called = deferred<void>()
  const app =
    await build(t, { adapterTimeout: 30, adapter: { getNewTracks: () => { called.resolve(); return never() } } })
  const answer = app.inject(calls.GET)
  await called.promise
  await app.close()
  t.equal((await answer).statusCode, 504)
})

t.test('a call that is answered in time leaves no timer', async t => {
  const made = t.capture(globalThis, 'setTimeout', setTimeout)
  const cleared = t.capture(globalThis, 'clearTimeout', clearTimeout)
  const app = await build(t, {
    adapterTimeout: 12_345, resolveContext: async () => ({ adapter: { getNewTracks: async () => [] } })
  })
  t.equal((await app.inject(calls.GET)).statusCode, 200)
  const timers = made().filter(({ args }) => args[1] === 12_345).map(result =>
    (result as { returned?: unknown }).returned)
  t.equal(timers.length, 2)
  const released = cleared().map(({ args }) => args[0])
  t.strictSame(timers.filter(timer => !released.includes(timer as NodeJS.Timeout)), [])
})

t.test('a call that is answered without a promise needs no timer', async t => {
  const made = t.capture(globalThis, 'setTimeout', setTimeout)
  const app =
    await build(t, { adapterTimeout: 12_345, resolveContext: () => ({ adapter: { getNewTracks: () => [] } }) })
  t.equal((await app.inject(calls.GET)).statusCode, 200)
  t.strictSame(made().filter(({ args }) => args[1] === 12_345), [])
})
