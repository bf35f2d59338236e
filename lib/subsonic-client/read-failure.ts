import {
  NotFoundError, SourceError, UnauthorizedError, UnsupportedFeatureError, UpstreamError
} from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import type { UpstreamResponse } from '../upstream/index.ts'
import { numberOf, objectOf, textOf, type Given } from './tolerate.ts'

/** A response with a status other than 200. It may still contain an envelope. */
export class OtherStatus extends Error {
  readonly answer: UpstreamResponse

  constructor (answer: UpstreamResponse) {
    super(`HTTP ${answer.status}`)
    this.answer = answer
  }
}

/** Errors that servers sent in an envelope. */
const refusals = new WeakSet<object>()

/** Returns whether the server rejected a call with a response. */
export const isRefusal = (error: unknown): boolean => refusals.has(Object(error)) ||
  error instanceof NotFoundError || error instanceof UnsupportedFeatureError ||
  (error instanceof SourceError && error.status === 403)

/** A parsed response. */
export interface Read {
  readonly status: number
  /** `undefined` if the response is not a Subsonic response in JSON. */
  readonly envelope: Given | undefined
  readonly isXml: boolean
}

export const readAnswer = ({ status, body }: UpstreamResponse): Read => {
  const text = body.toString().replace(/^\uFEFF/, '')
  return { status, envelope: envelopeOf(text), isXml: /^\s*<(?:\?xml|subsonic-response)\b/.test(text) }
}

/** Matches numbers that JavaScript would round, which are ids, and strings, which stay unchanged. */
const largeNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[[:,\s])\d{16,}(?=[\s,}\]])/g
const withDigits = (text: string) => /[[:,\s]\d{16}/.test(text)
  ? text.replace(largeNumber, found => found.startsWith('"') ? found : `"${found}"`)
  : text

function envelopeOf (text: string): Given | undefined {
  try {
    const parsed: unknown = JSON.parse(withDigits(text))
    const envelope = isObject(parsed) ? parsed['subsonic-response'] : undefined
    return isObject(envelope) ? envelope : undefined
  } catch {
    return undefined
  }
}

export const codeOf = (envelope: Given): number => numberOf(objectOf(envelope.error).code) ?? 0

const missingStatuses = [404, 405, 410, 501]
/** Matches server messages about an unknown method. */
const noMethod =
  /(?:unknown|unsupported|invalid|no such) (?:method|action|endpoint)|not (?:yet )?(?:implemented|supported)/i
const badId = /not found|no such|invalid|malformed|badly formed|uuid/i

/** The failed call. */
export interface Asked {
  readonly method: string
  /** Whether it names an item by an id, which may be wrong. */
  readonly byId: boolean
  /** The requested list, if the method has several. */
  readonly type: unknown
}

/** Returns the error of a response. Messages of the server are omitted, since they may contain parts of the request. */
export function failureOf (asked: Asked, { status, envelope, isXml }: Read): SourceError {
  const { method, byId } = asked
  const code = envelope && codeOf(envelope)
  const message = textOf(objectOf(envelope?.error).message)
  if (status === 401 || (code !== undefined && code >= 40 && code <= 44)) {
    const hint = code === 40 ? ': is the password right? Some servers need an app password' : ''
    return new UnauthorizedError(`The server refused the login of ${method}${hint}`)
  }
  if (code === 70 || (code === 0 && byId && badId.test(message) && !noMethod.test(message))) return new NotFoundError()
  if (code === 50 || (!code && status === 403)) return new SourceError(403, `The server does not allow ${method}`)
  if (isMissing(asked, { status, isXml }, code, message)) {
    return method === 'ping' ? notSubsonic() : new UnsupportedFeatureError(`The server has no ${method}`)
  }
  if (code !== undefined) {
    const refusal = new UpstreamError(`The server answered ${method} with error ${code}`)
    refusals.add(refusal)
    return refusal
  }
  if (isXml) return new UpstreamError(`The server answers ${method} with XML, and was asked for JSON (f=json)`)
  return new UpstreamError(status < 400
    ? `The server leads elsewhere instead of answering ${method}: is the address right, with no login before it?`
    : `The server answered ${method} with HTTP ${status}`)
}

/** Returns whether the server lacks the method, or this list of the method. */
function isMissing (
  { method, type }: Asked, { status, isXml }: Pick<Read, 'status' | 'isXml'>, code: number | undefined, message: string
): boolean {
  // A server with a single-page application responds to every unknown path with the application.
  if (code === undefined) return missingStatuses.includes(status) || (status < 300 && !isXml)
  // The server's protocol is older than the method.
  if ((code === 30 && method !== 'ping') || (code === 0 && noMethod.test(message))) return true
  if (type !== undefined && (code === 10 || (code === 0 && /\btype\b/i.test(message)))) return true
  return code === 0 && status >= 400 && (status < 500 || status === 501)
}

const notSubsonic = () => new UpstreamError('This is not a Subsonic server; is the address right?')
