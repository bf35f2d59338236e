import { stripVTControlCharacters } from 'node:util'
import type { Connection } from '../client/check-connection.ts'
import { sendRequest, type SourceRequest } from '../client/send-request.ts'
import { TimeoutError, type SourceError } from '../errors.ts'

/** What came back, whatever it is. */
export interface Answer {
  /** The request in words: `GET /v1/track?id=1 without a token`. */
  readonly request: string
  /** 0 when there is no complete answer. */
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly failure?: 'no-answer' | 'timeout' | 'answer-too-long'
}

export type Token = 'right' | 'wrong' | 'none'

export interface Probe {
  readonly baseUrl: string
  /** Text of a server as people and XML may see it: short, on one line, without the token. */
  readonly clean: (text: string) => string
  /** Asks the source. Redirects are not followed. */
  ask (request: SourceRequest, token?: Token): Promise<Answer>
  /** Whether media of this URL can be asked for: without a socket only those of the app itself. */
  reaches (url: URL): boolean
  /** Asks for audio or a picture as a player does: any URL, no token, redirects followed, only the beginning read. */
  fetchMedia (url: string, headers?: Record<string, string>): Promise<Answer>
}

/** Bytes. The largest honest answer, a page of 1000 tracks, is far below it. */
const maximumLength = 8_000_000

/** Bytes of audio or a picture that are enough to see that there is something. */
const mediaLength = 1024

/** Characters of a message. */
const maximumText = 300

const wrongToken = 'not-the-token-of-this-source'
const suffixes: Record<Token, string> = { right: '', wrong: ' with a wrong token', none: ' without a token' }

/** @param onlyOrigin the one origin that the connection's fetch reaches; all of them by default */
export function createProbe (connection: Connection, onlyOrigin?: string): Probe {
  const secret = connection.authorization
  const tokens: Record<Token, string | undefined> = { right: secret, wrong: wrongToken, none: undefined }

  async function send (request: SourceRequest, name: string, over: Partial<Connection>, length: number): Promise<Answer> {
    try {
      const read = (_request: SourceRequest, response: Response) => readAnswer(name, response, length)
      return await sendRequest({ ...connection, ...over }, request, read)
    } catch (error) {
      connection.signal?.throwIfAborted()
      const failure = error instanceof TimeoutError ? 'timeout' : 'no-answer'
      return { request: name, status: 0, headers: new Headers(), text: causeOf(error as SourceError), failure }
    }
  }

  return {
    baseUrl: connection.baseUrl,
    // A very short token is no secret, and taking it out would spoil words.
    clean: text => stripVTControlCharacters(secret === undefined || secret.length < 6 ? text : text.replaceAll(secret, '[authorization]'))
      .slice(0, maximumText)
      .replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]+/gu, ' '),
    ask: (request, token = 'right') => send(request, `${request.method} ${request.path}${suffixes[token]}`, {
      authorization: tokens[token],
      fetch: (url, init) => connection.fetch(url, { ...init, redirect: 'manual' })
    }, maximumLength),
    reaches: ({ origin }) => onlyOrigin === undefined || origin === onlyOrigin,
    fetchMedia: (url, headers = {}) => send({ method: 'GET', path: url }, `GET ${url}`, {
      baseUrl: '',
      fetch: (url, init) => connection.fetch(url, { ...init, headers })
    }, mediaLength)
  }
}

/** The innermost message: fetch hides it behind "fetch failed". */
function causeOf (error: Error): string {
  return error.cause instanceof Error ? causeOf(error.cause) : error.message || String((error as NodeJS.ErrnoException).code)
}

async function readAnswer (request: string, { status, headers, body }: Response, length: number): Promise<Answer> {
  const answer = { request, status, headers }
  const chunks: Uint8Array[] = []
  let read = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    read += chunk.length
    if (read <= length) continue
    // Leaving the loop cancels the rest.
    return length === mediaLength ? { ...answer, text: 'more' } : { ...answer, status: 0, text: '', failure: 'answer-too-long' }
  }
  return { ...answer, text: Buffer.concat(chunks).toString() }
}
