import { stripVTControlCharacters } from 'node:util'
import { readUpTo } from '../../async/read-up-to.ts'
import { type Connection, sendRequest, type SourceRequest } from '../../client/internal.ts'
import { TimeoutError, type SourceError } from '../../contract/errors.ts'
import { secretsIn, withoutSecrets } from '../../errors/without-secrets.ts'

/** A response of any kind. */
export interface Answer {
  /** The request in words: `GET /v1/track?id=1 without a token`. */
  readonly request: string
  /** 0 if the response is missing or incomplete. */
  readonly status: number
  readonly headers: Headers
  /** The body. Of media, the first bytes, each as one character. */
  readonly text: string
  readonly failure?: 'no-answer' | 'timeout' | 'answer-too-long'
}

type Token = 'right' | 'wrong' | 'none'

/** Options of a request. */
export interface AskOptions {
  /** Default: `right`. */
  readonly token?: Token
  /** Headers in addition to the default ones. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** If `true`, HEAD is sent instead of GET. Default: `false`. */
  readonly head?: boolean
}

export interface Probe {
  readonly baseUrl: string
  /** Makes a string of the server fit for a report: short, on one line, without the token. */
  readonly clean: (text: string) => string
  /** Sends a request to the source. Redirects are not followed. */
  ask (request: SourceRequest, asking?: AskOptions): Promise<Answer>
  /** Returns whether media of this URL can be requested. Without a socket, only media of the app itself can. */
  reaches (url: URL): boolean
  /**
   * Requests audio or a picture as a player does: any URL, no token, redirects followed, and only the beginning is
   * read.
   */
  fetchMedia (url: string, headers?: Record<string, string>): Promise<Answer>
  /** Runs a clean-up even after the signal has ended the check. */
  finish<T> (run: () => Promise<T>): Promise<T>
}

/** The maximum size of a response in bytes. The largest reasonable response, 1000 tracks, is far below it. */
const maximumLength = 8_000_000

/** The number of bytes that are read of audio or a picture. */
export const mediaLength = 1024

/** The maximum length of a message in characters. */
const maximumText = 300

const wrongToken = 'not-the-token-of-this-source'
const suffixes: Record<Token, string> = { right: '', wrong: ' with a wrong token', none: ' without a token' }

/** @param onlyOrigin the only origin that the connection's fetch reaches. Default: any origin */
export function createProbe (connection: Connection, onlyOrigin?: string): Probe {
  const secret = connection.authorization
  const tokens: Record<Token, string | undefined> = { right: secret, wrong: wrongToken, none: undefined }
  let finishing = false

  async function send (
    request: SourceRequest, name: string, over: Partial<Connection>, length: number
  ): Promise<Answer> {
    if (!finishing) connection.signal?.throwIfAborted()
    // The response to a change is always awaited: without it the change cannot be undone.
    const signal = finishing || request.method === 'POST' ? undefined : connection.signal
    try {
      const read = (_request: SourceRequest, response: Response) => readAnswer(name, response, length)
      return await sendRequest({ ...connection, ...over, signal }, request, read)
    } catch (error) {
      signal?.throwIfAborted()
      const failure = error instanceof TimeoutError ? 'timeout' : 'no-answer'
      return { request: name, status: 0, headers: new Headers(), text: causeOf(error as SourceError), failure }
    }
  }

  const hide = (text: string) => withoutSecrets(text, secretsIn(secret))
  return {
    baseUrl: connection.baseUrl,
    // Control characters may be a part of the token, or be inserted into it.
    clean: text => hide(stripVTControlCharacters(hide(text)))
      .slice(0, maximumText)
      .replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]+/gu, ' '),
    ask: (request, { token = 'right', headers = {}, head = false } = {}) => {
      const more = Object.entries(headers).map(([name, value]) => ` with ${name}: ${value}`).join('')
      return send(request, `${head ? 'HEAD' : request.method} ${request.path}${suffixes[token]}${more}`, {
        authorization: tokens[token],
        fetch: (url, init) => connection.fetch(url, {
          ...init,
          ...(head ? { method: 'HEAD' } : {}),
          headers: { ...init?.headers as Record<string, string>, ...headers },
          redirect: 'manual'
        })
      }, maximumLength)
    },
    reaches: ({ origin }) => onlyOrigin === undefined || origin === onlyOrigin,
    fetchMedia: (url, headers = {}) => send({ method: 'GET', path: url }, `GET ${url}`, {
      baseUrl: '',
      fetch: (url, init) => connection.fetch(url, { ...init, headers })
    }, mediaLength),
    finish: async run => {
      finishing = true
      try {
        return await run()
      } finally {
        finishing = false
      }
    }
  }
}

/** Returns the innermost message, which fetch hides behind "fetch failed". */
function causeOf (error: Error): string {
  if (error.cause instanceof Error) return causeOf(error.cause)
  return error.message || String((error as NodeJS.ErrnoException).code)
}

async function readAnswer (request: string, { status, headers, body }: Response, length: number): Promise<Answer> {
  const answer = { request, status, headers }
  const isMedia = length === mediaLength
  const { bytes, isWhole } = await readUpTo(body ?? [], length)
  if (!isWhole && !isMedia) return { ...answer, status: 0, text: '', failure: 'answer-too-long' }
  return { ...answer, text: Buffer.from(bytes).toString(isMedia ? 'latin1' : 'utf8') }
}
