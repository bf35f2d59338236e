import fastify, { type FastifyInstance } from 'fastify'
import { createSigner, mediaProxy, type MediaKind } from 'fastify-source-origin/media'
import { EventEmitter, once } from 'node:events'
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { passForUndici } from '../fake-time.ts'
import { logged } from '../helper.ts'

/** Bytes that differ from place to place, so that nothing left out, doubled or swapped goes unseen. */
export function song (length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + (i >> 8) * 7 + (i >> 16) * 13) & 255
  return bytes
}

/** How the upstream answers one request; without anything as a good server does. */
export interface Behaviour {
  content?: Buffer
  /** Instead of the media. */
  status?: number
  headers?: Record<string, string>
  /** Without this header. */
  without?: string
  etag?: string
  ignoreRange?: boolean
  /** Instead of the bytes that the headers tell. */
  body?: Buffer
  /** At most so many bytes, whatever was asked for. */
  atMost?: number
  /** Destroy the connection when so many bytes of the body are sent; 0 = before the headers, 0.5 = after them. */
  cutAfter?: number
  /** Send so many bytes and then nothing. */
  hangAfter?: number
  /** The milliseconds that pass for the proxy at each read of its clock. */
  hangFor?: number
  /** Announce an answer again and again, and send none. */
  onlyHints?: boolean
  /** The length is not told. */
  chunked?: boolean
  /** Send the second half only then. */
  gate?: Promise<unknown>
}

export interface Upstream {
  origin: string
  host: string
  requests: { method: string, url: string, headers: IncomingHttpHeaders }[]
  /** `request` with each request, `connection` and `closed` with each connection. */
  events: EventEmitter
  connections: () => number
  /** Breaks all connections. */
  breakAll: () => void
}

/** An upstream that serves one song. */
export async function startUpstream (
  t: Test, content: Buffer, behave: (request: IncomingMessage, nth: number) => Behaviour = () => ({})
): Promise<Upstream> {
  const requests: Upstream['requests'] = []
  const events = new EventEmitter()
  const server = createServer((request, response) => {
    requests.push({ method: request.method!, url: request.url!, headers: request.headers })
    events.emit('request')
    serve(request, response, { content, ...behave(request, requests.length) })
  })
  let connections = 0
  server.on('connection', socket => {
    connections++
    socket.on('close', () => events.emit('closed'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    events,
    connections: () => connections,
    breakAll: () => server.closeAllConnections()
  }
}

function serve (request: IncomingMessage, response: ServerResponse, behaviour: Behaviour & { content: Buffer }): void {
  const { content, etag = '"v1"', cutAfter, hangAfter } = behaviour
  if (cutAfter === 0) request.socket.destroy()
  if (behaviour.onlyHints) {
    const hinting = setInterval(() => response.writeProcessing(), 10)
    response.once('close', () => clearInterval(hinting))
  }
  if (behaviour.hangFor) {
    const passing = setInterval(passForUndici, 10, behaviour.hangFor)
    response.once('close', () => clearInterval(passing))
  }
  if (cutAfter === 0 || hangAfter === 0 || behaviour.onlyHints) return
  const { status, headers, body: right } = answer(request, behaviour, etag, content)
  const body = behaviour.body ?? right
  const all: Record<string, string> = {
    'content-type': 'audio/mpeg',
    etag,
    'last-modified': 'Sat, 01 Jan 2000 00:00:00 GMT',
    'content-length': String(body.length),
    ...headers,
    ...behaviour.headers
  }
  for (const name of [behaviour.without, behaviour.chunked && 'content-length']) if (name) delete all[name]
  response.writeHead(status, all)
  response.flushHeaders()
  const sent = body.subarray(0, cutAfter ?? hangAfter)
  if (cutAfter !== undefined && cutAfter < body.length) {
    response.write(sent, () => response.destroy())
  } else if (hangAfter !== undefined) {
    response.write(sent)
  } else if (behaviour.gate) {
    const half = body.length >> 1
    response.write(body.subarray(0, half))
    behaviour.gate.then(() => response.end(body.subarray(half)))
  } else {
    response.end(body)
  }
}

function answer ({ headers }: IncomingMessage, behaviour: Behaviour, etag: string, content: Buffer): {
  status: number, headers?: Record<string, string>, body: Buffer
} {
  const nothing = Buffer.alloc(0)
  if (behaviour.status !== undefined) return { status: behaviour.status, body: Buffer.from('not the media') }
  if (headers['if-none-match'] === etag) return { status: 304, body: nothing }
  const range = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '')
  if (range === null || behaviour.ignoreRange || (headers['if-range'] !== undefined && headers['if-range'] !== etag)) {
    return { status: 200, body: content }
  }
  const total = content.length
  const start = range[1] === '' ? Math.max(0, total - Number(range[2])) : Number(range[1])
  if (start >= total) return { status: 416, headers: { 'content-range': `bytes */${total}` }, body: nothing }
  const asked = range[1] === '' || range[2] === '' ? total - 1 : Math.min(Number(range[2]), total - 1)
  const end = Math.min(asked, start + (behaviour.atMost ?? Infinity) - 1)
  return {
    status: 206, headers: { 'content-range': `bytes ${start}-${end}/${total}` }, body: content.subarray(start, end + 1)
  }
}

export const signer = createSigner({ keys: [Buffer.alloc(32, 1)], ttl: 3_600_000 })

/** A host with the proxy, listening; the kind `audio` may load from the upstream. */
export async function startProxy (
  t: Test, upstream: Upstream, kind: Partial<MediaKind> = {}, prepare?: (app: FastifyInstance) => void
) {
  const { lines, logger } = logged()
  const app = fastify({ logger })
  t.teardown(() => app.close())
  prepare?.(app)
  const audio = {
    resolve: () => ({ url: `${upstream.origin}/song?secret=1` }), hosts: [upstream.host], allowPrivate: true, ...kind
  }
  await app.register(mediaProxy, { signer, kinds: { audio } })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = (params: Record<string, string> = { id: '1' }) =>
    app.listeningOrigin + app.mediaUrl('audio', params, { extension: 'mp3' })
  return { app, url, lines, load: (headers?: Record<string, string>, method?: string) => load(url(), headers, method) }
}

export interface Loaded { status: number, headers: IncomingHttpHeaders, body: Buffer, complete: boolean }

/** Loads a URL; a connection that breaks off gives what came until then. */
export const load = async (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  read(await open(url, headers, method))

/** Reads an answer to its end. */
export async function read (response: IncomingMessage): Promise<Loaded> {
  const body: Buffer[] = []
  response.on('error', () => {})
  response.on('data', chunk => body.push(chunk))
  await new Promise(resolve => response.once('close', resolve))
  return {
    status: response.statusCode!, headers: response.headers, body: Buffer.concat(body), complete: response.complete
  }
}

/** The answer of a URL, with its body unread. */
export async function open (
  url: string, headers: Record<string, string> = {}, method = 'GET'
): Promise<IncomingMessage> {
  const [response] = await once(request(url, { headers, method, agent: false }).end(), 'response')
  return response
}

/** Whether two buffers are equal; tells the first place where they are not. */
export const difference = (found: Buffer, wanted: Buffer): string => found.equals(wanted)
  ? ''
  : `${found.length} of ${wanted.length} bytes, different from ${found.findIndex((byte, i) => byte !== wanted[i])}`
