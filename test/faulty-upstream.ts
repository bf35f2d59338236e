import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  createServer, STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse
} from 'node:http'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { deferred } from './helper.ts'

/** A request as it arrived. */
export interface Arrival {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** Resolves when its connection or its answer has ended. */
  readonly ended: Promise<void>
}

/** What the upstream does with one request. */
export type Behaviour = (response: ServerResponse, arrival: Arrival) => void | Promise<void>

/** Answers, with JSON unless the body is text or bytes. */
export const answer = (body: unknown = {
  ok: true
}, status = 200, headers: OutgoingHttpHeaders = {}): Behaviour => response => {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  response.writeHead(status, { 'content-type': isRaw ? 'text/plain' : 'application/json', ...headers })
  response.end(isRaw ? body : JSON.stringify(body))
}

export const fail = (status: number, headers: OutgoingHttpHeaders = {}) =>
  answer({ secret: 'body of the upstream' }, status, headers)

/** 429, with or without a Retry-After in seconds or as a date. */
export const limit = (retryAfterSeconds?: number | string) =>
  fail(429, retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) })

export const redirect = (location: string, status = 302) => fail(status, { location })

/** Never answers. */
export const hang: Behaviour = () => {}

/** Sends status, headers and a piece of the body, and no more. */
export const hangInBody: Behaviour = response => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
  response.write('{"ok":')
}

/** A slow one: answers when `release` is called. */
export function hold (then = answer()): { behaviour: Behaviour, release: () => void } {
  const { promise: released, resolve: release } = deferred<void>()
  return { release, behaviour: async (response, arrival) => { await released; await then(response, arrival) } }
}

/** Ends the connection, before any byte of an answer. */
export const hangUp: Behaviour = response => { response.socket!.destroy() }

/** The bytes of an answer as they go through the socket. */
export function rawAnswer (
  body: string | Uint8Array = '{"ok":true}', status = 200, headers: Record<string, string> = {}
): Buffer {
  const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`), Buffer.from(body)])
}

/** Sends so many bytes of a raw answer, then ends the connection: `end` says goodbye, `reset` does not. */
export const dieAt = (bytes: number, how: 'end' | 'reset' = 'end', raw = rawAnswer()): Behaviour => response => {
  const socket = response.socket!
  socket.write(raw.subarray(0, bytes), () => how === 'end' ? socket.end() : socket.resetAndDestroy())
}

/** Sends a raw answer, whether it is HTTP or not, and keeps the connection. */
export const sendRaw = (raw: string | Uint8Array): Behaviour => response => { response.socket!.write(raw) }

/** A small answer that becomes so many bytes of JSON. */
export const gzipBomb = (bytes: number) => answer(gzipSync('{}'.padStart(bytes)), 200, { 'content-encoding': 'gzip' })

/** What goes wrong at an upstream, by name. */
export const faultsWith = (secret: string): Record<string, Behaviour> => ({
  hang,
  hangInBody,
  hangUp,
  cut: dieAt(75),
  reset: dieAt(70, 'reset'),
  limit: limit(),
  limitOf1: limit(1),
  limitOf60: limit(60),
  busy: fail(503, { 'retry-after': '2' }),
  broken: fail(500),
  gone: fail(404),
  forbidden: fail(403),
  bomb: gzipBomb(100_000),
  html: answer(`<html>${secret}`),
  redirect: redirect(`http://127.0.0.1/${secret}`),
  noHttp: sendRaw(`${secret}\r\n`)
})

/**
 * A real HTTP server that does what it is told, and remembers what it saw. Closed with all its connections when the
 * test ends.
 */
export async function startFaultyUpstream (t: Test) {
  const arrivals: Arrival[] = []
  const planned: Behaviour[] = []
  const running = new Set<{ keys: string[], port: number | undefined }>()
  const most = new Map<string, number>()
  let usual: Behaviour = answer()
  const watchers = new Set<() => void>()

  // The server may read of a new request before it reads that the client has closed an older one.
  const clients = new Map<number, Socket>()
  const noteClient = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    // One listener for each upstream of the test: no leak.
    socket.setMaxListeners(0)
    socket.once('connect', () => clients.set(socket.localPort!, socket))
  }
  subscribe('net.client.socket', noteClient)
  t.teardown(() => unsubscribe('net.client.socket', noteClient))

  function count (key: string): void {
    const now = [...running].filter(({ keys, port }) => keys.includes(key) && !clients.get(port!)?.destroyed).length
    most.set(key, Math.max(most.get(key) ?? 0, now))
  }

  const server = createServer((request, response) => {
    const keys = ['all', ...[request.headers['x-account'] ?? []].flat()]
    const call = { keys, port: request.socket.remotePort }
    running.add(call)
    for (const key of keys) count(key)
    const ended = once(response, 'close').then(() => { running.delete(call) })
    response.on('error', () => {})
    buffer(request).then(async body => {
      const arrival = { method: request.method!, url: request.url!, headers: request.headers, body, ended }
      const behave = planned.shift() ?? usual
      arrivals.push(arrival)
      for (const watch of watchers) watch()
      await behave(response, arrival)
    }).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The requests so far, in order. */
    arrivals,
    /** What the next requests meet, one each. */
    plan (...behaviours: Behaviour[]): void { planned.push(...behaviours) },
    /** What all requests meet that nothing is planned for. */
    always (behaviour: Behaviour): void { usual = behaviour },
    /** Most requests at once, in all or with this value of the header `x-account`. */
    mostAtOnce: (account = 'all') => most.get(account) ?? 0,
    /** Resolves when so many requests have arrived. */
    arrived (requests: number): Promise<void> {
      return new Promise(resolve => {
        const watch = () => {
          if (arrivals.length < requests) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      })
    }
  }
}
