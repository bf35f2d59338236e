import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { tls } from './tls.ts'

/** Servers that a host may be made with. */
const kinds = {
  http: {},
  https: { https: tls },
  http2: { http2: true },
  'http2 over TLS': { http2: true, https: { ...tls, allowHTTP1: true } }
}

export type HostKind = keyof typeof kinds

export const hostKinds = Object.keys(kinds) as HostKind[]

/** A host of a kind, closed when the test ends. */
export function hostOf (t: Test, kind: HostKind, options: FastifyServerOptions = {}): FastifyInstance {
  const app = fastify({ ...options, ...kinds[kind] } as FastifyServerOptions)
  t.teardown(() => app.close())
  return app
}

interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HostAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export interface HostClient {
  /** Sends a request; `cancel` ends it as a client that no longer wants its answer. */
  send (path: string, call?: Call): { readonly answer: Promise<HostAnswer>, readonly cancel: () => void }
  ask (path: string, call?: Call): Promise<HostAnswer>
}

/** A client of a host, which listens from then on. */
export async function clientOf (t: Test, app: FastifyInstance, kind: HostKind): Promise<HostClient> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const origin = app.listeningOrigin
  const send = kind.startsWith('http2') ? sendOverHttp2(t, origin) : sendOverHttp1(origin)
  return { send, ask: (path, call) => send(path, call).answer }
}

function sendOverHttp1 (origin: string): HostClient['send'] {
  return (path, { method = 'GET', headers = {}, body } = {}) => {
    const { request } = origin.startsWith('https') ? https : http
    const sent = request(origin + path, { method, headers, agent: false, rejectUnauthorized: false })
    const answer = new Promise<HostAnswer>((resolve, reject) => {
      sent.on('error', reject).on('response', async response => {
        const { statusCode, headers } = response
        text(response).then(body => resolve({ status: statusCode!, headers, body }), reject)
      })
    })
    sent.end(body)
    return { answer: handled(answer), cancel: () => sent.destroy() }
  }
}

function sendOverHttp2 (t: Test, origin: string): HostClient['send'] {
  const session = http2.connect(origin, { rejectUnauthorized: false }).on('error', () => {})
  t.teardown(() => session.destroy())
  return (path, { method = 'GET', headers = {}, body } = {}) => {
    const sent = session.request({ ':path': path, ':method': method, ...headers }, { endStream: false })
    const answer = new Promise<HostAnswer>((resolve, reject) => {
      sent.on('error', reject).on('close', () => reject(new Error('closed'))).on('response', headers => {
        text(sent).then(body => resolve({ status: headers[':status']!, headers, body }), reject)
      })
    })
    sent.end(body)
    return { answer: handled(answer), cancel: () => sent.close(http2.constants.NGHTTP2_CANCEL) }
  }
}

/** The test looks at it, or has cancelled the request. */
function handled<T> (promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
