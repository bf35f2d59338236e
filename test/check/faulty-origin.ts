import type { Test } from 'tap'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import type { SourceContext } from 'fastify-source-origin'
import { createSourceClient } from 'fastify-source-origin/client'
import { serve } from '../client/helper.ts'
import { buildReferences, createReferenceAdapter, token } from '../reference-source.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** What the Authorization header holds. */
  readonly token: 'right' | 'wrong' | 'none'
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: any
}

export interface Given {
  status: number
  headers: Record<string, string>
  /** JSON, a text, or bytes. */
  body: any
}

/** Changes the answer of a sound source, or puts another in its place. `'silence'` and `'break'`: no answer at all. */
export type InjectFault = (
  asked: Asked, sound: (url?: string) => Promise<Given>
) => Promise<Given | 'silence' | 'break'>

type Source = Partial<SourceContext> & Pick<SourceContext, 'adapter'>

const sources = new Map<unknown, Source>()
/** All sources of the process as one app, whose schemas are compiled once. */
const app = await buildReferences(({ headers }) => sources.get(headers['x-source'])!)
let created = 0

type Answer = Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'rawPayload'>

/** What the sound source answers, by what was written to it and what is read: it is the same in each check. */
const remembered = new Map<string, Promise<Answer>>()
/** What was written, by what was written before and the request: a number, so that the keys are short. */
const states = new Map<string, number>()

function remember (key: string, ask: () => Promise<Answer>): Promise<Answer> {
  const answer = remembered.get(key) ??
    ask().then(({ statusCode, headers, rawPayload }) => ({ statusCode, headers, rawPayload }))
  remembered.set(key, answer)
  return answer
}

/** The reference source with its answers spoiled. `at.origin` is where it is thought to be. */
function createFaulty (t: Test, inject: InjectFault, context: Partial<SourceContext>, at: { origin: string }) {
  const name = String(created++)
  sources.set(name, { adapter: createReferenceAdapter(() => at.origin), ...context })
  t.teardown(() => sources.delete(name))
  let state = 0
  return (method: string, url: string, headers: Asked['headers'], text: string) => {
    const { pathname, searchParams } = new URL(url, at.origin)
    const { authorization } = headers
    const sound = async (instead?: string): Promise<Given> => {
      // Faults change the answer of GET; the body is left out when it is sent.
      const request = {
        method: (method === 'HEAD' ? 'GET' : method) as NonNullable<InjectOptions['method']>,
        url: instead ?? url,
        headers: { ...headers, ...(instead === undefined ? {} : { authorization: token }) },
        ...(text === '' ? {} : { payload: text })
      }
      const ask = () => app.inject({ ...request, headers: { ...request.headers, 'x-source': name } })
      const key = JSON.stringify([at.origin, state, request])
      if (request.method !== 'GET') states.set(key, state = states.get(key) ?? states.size + 1)
      const isSame = request.method === 'GET' && Object.keys(context).length === 0
      const response = await (isSame ? remember(key, ask) : ask())
      const { 'content-length': _length, connection: _connection, date: _date, ...rest } = response.headers
      const isJson = String(rest['content-type']).includes('json')
      return {
        status: response.statusCode,
        headers: rest as Record<string, string>,
        body: isJson
          ? JSON.parse(String(response.rawPayload))
          : response.rawPayload
      }
    }
    return inject({
      method,
      path: pathname,
      query: searchParams,
      token: authorization === undefined ? 'none' : authorization === token ? 'right' : 'wrong',
      headers,
      body: text === '' ? undefined : JSON.parse(text)
    }, sound)
  }
}

const bytesOf = ({ body }: Given) => typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)

/** A client of it without a socket, which is quicker. */
export async function clientOfFaulty (t: Test, inject: InjectFault, context: Partial<SourceContext> = {}) {
  const at = { origin: 'http://faulty.example' }
  const answer = createFaulty(t, inject, context, at)
  return createSourceClient({
    baseUrl: at.origin,
    authorization: token,
    fetch: async (url, init) => {
      const given =
        await answer(init!.method!, String(url), init!.headers as Record<string, string>, String(init!.body ?? ''))
      if (given === 'silence') return new Promise(() => {})
      if (given === 'break') throw new TypeError('The connection broke')
      const hasNoBody = init!.method === 'HEAD' || [204, 304].includes(given.status)
      return new Response(hasNoBody ? null : new Uint8Array(Buffer.from(bytesOf(given))), given)
    }
  })
}

/** It as a plain HTTP server. Returns its URL. */
export async function listenFaulty (
  t: Test, inject: InjectFault, context: Partial<SourceContext> = {}
): Promise<string> {
  const at = { origin: '' }
  const answer = createFaulty(t, inject, context, at)
  at.origin = await serve(t, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const given = await answer(request.method!, request.url!, request.headers as Asked['headers'], text)
    if (given === 'break') request.socket.destroy()
    else if (given !== 'silence') response.writeHead(given.status, given.headers).end(bytesOf(given))
  })
  return at.origin
}
