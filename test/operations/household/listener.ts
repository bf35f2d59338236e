import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

/** Milliseconds after which a request is given up, so that one that hangs is a failure of its own test. */
const longest = 15_000

interface Options {
  /** Milliseconds after which the request is given up. */
  readonly within?: number
  /** Whether a cached answer will not do. */
  readonly fresh?: boolean
}

/** What a server has answered. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** Milliseconds that it took. */
  readonly took: number
}

const textOf = ({ body }: Pick<Answer, 'body'>) => body.toString()

/** Asks again as long as the source sheds load: other tests may take the whole machine for a moment. */
async function fetchAll (url: string, init: RequestInit = {}, within = longest): Promise<Answer> {
  for (;;) {
    const began = performance.now()
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(within) })
    const body = Buffer.from(await response.arrayBuffer())
    const { status, headers } = response
    if (status !== 503 || !textOf({ body }).includes('The source is too busy')) {
      return { status, headers, body, took: performance.now() - began }
    }
    await setTimeout(Number(headers.get('retry-after') ?? 1) * 1000)
  }
}

/** Who listens, with the token of an account: by `/v1` and the page's own routes, by `/rest`, or by any URL. */
export class Listener {
  readonly origin: string
  readonly token: string
  readonly username: string

  constructor (origin: string, token: string, username = 'x') {
    this.origin = origin
    this.token = token
    this.username = username
  }

  /** Any request with the token. */
  ask (path: string, body?: object, { within, fresh = false }: Options = {}): Promise<Answer> {
    return fetchAll(new URL(path, this.origin).href, {
      headers: {
        authorization: this.token,
        ...body && { 'content-type': 'application/json' },
        ...fresh && { 'cache-control': 'no-cache' }
      },
      ...body && { method: 'POST', body: JSON.stringify(body) }
    }, within)
  }

  /** The data of a route of `/v1` or the page. @throws Error with what else was answered */
  async data (path: string, body?: object): Promise<any> {
    const answer = await this.ask(path, body)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${textOf(answer)}`)
    return JSON.parse(textOf(answer)).data
  }

  restUrl (method: string, query: Query = {}): string {
    const all = new URLSearchParams({ u: this.username, p: this.token, v: '1.16.1', c: 'household', f: 'json' })
    for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) all.append(name, String(one))
    return `${this.origin}/rest/${method}?${all}`
  }

  /** An answer of `/rest`, which may be audio or a picture. */
  askRest (method: string, query: Query = {}, { within }: Options = {}): Promise<Answer> {
    return fetchAll(this.restUrl(method, query), {}, within)
  }

  /** What an answer of `/rest` has. @throws Error with its message where it failed */
  async rest (method: string, query: Query = {}): Promise<any> {
    const answer = await this.askRest(method, query)
    return restData(method, answer)
  }
}

type Query = Record<string, string | number | readonly (string | number)[]>

/** @throws Error for an answer that failed */
export function restData (method: string, answer: Answer): any {
  const text = textOf(answer)
  const data = text.startsWith('{') ? JSON.parse(text)['subsonic-response'] : undefined
  if (data?.status !== 'ok') throw new Error(`${method}: ${answer.status} ${text.slice(0, 500)}`)
  return data
}

/** What a URL answers to everybody. */
export const fetchUrl = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  fetchAll(url, { headers })
