import {
  NotFoundError, SourceError, UnauthorizedError, UnsupportedFeatureError, UpstreamError
} from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import type { UpstreamAnswer } from '../upstream/index.ts'
import { numberOf, objectOf, textOf, type Given } from './tolerate.ts'

/** An answer with another status than 200: it may hold an envelope all the same. */
export class OtherStatus extends Error {
  readonly answer: UpstreamAnswer

  constructor (answer: UpstreamAnswer) {
    super(`HTTP ${answer.status}`)
    this.answer = answer
  }
}

/** Errors that servers sent as an answer. */
const refusals = new WeakSet<object>()

/** Returns whether the server answered a call and refused it. */
export const isRefusal = (error: unknown): boolean => refusals.has(Object(error)) ||
  error instanceof NotFoundError || error instanceof UnsupportedFeatureError ||
  (error instanceof SourceError && error.status === 403)

/** What an answer is. */
export interface Read {
  readonly status: number
  /** `undefined` in what is no answer of a Subsonic server, or none in JSON. */
  readonly envelope: Given | undefined
  readonly isXml: boolean
}

export const readAnswer = ({ status, body }: UpstreamAnswer): Read => {
  const text = body.toString().replace(/^\uFEFF/, '')
  return { status, envelope: envelopeOf(text), isXml: /^\s*<(?:\?xml|subsonic-response)\b/.test(text) }
}

/** A number that JavaScript would round, which is an id, or a text, which is left as it is. */
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
/** What servers write where a method is none of theirs. */
const noMethod =
  /(?:unknown|unsupported|invalid|no such) (?:method|action|endpoint)|not (?:yet )?(?:implemented|supported)/i
const badId = /not found|no such|invalid|malformed|badly formed|uuid/i

/** A call as its failure is read. */
export interface Asked {
  readonly method: string
  /** Whether it names something by an id, which may be wrong. */
  readonly byId: boolean
  /** Which of several lists it asks for, if the method has some. */
  readonly type: unknown
}

/**
 * The error that an answer is. Messages of the server are for people, but may hold what was sent, so that they stay
 * out.
 */
export function failureOf (asked: Asked, { status, envelope, isXml }: Read): SourceError {
  const { method, byId } = asked
  const code = envelope && codeOf(envelope)
  const message = textOf(objectOf(envelope?.error).message)
  if (status === 401 || (code !== undefined && code >= 40 && code <= 44)) {
    return new UnauthorizedError(`The server refused the login of ${method}`)
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

/** Whether the server has not got the method, or not this list of it. */
function isMissing (
  { method, type }: Asked, { status, isXml }: Pick<Read, 'status' | 'isXml'>, code: number | undefined, message: string
): boolean {
  // Beside an application in the browser every unknown path is its page.
  if (code === undefined) return missingStatuses.includes(status) || (status < 300 && !isXml)
  // The protocol of the server is older than the method.
  if ((code === 30 && method !== 'ping') || (code === 0 && noMethod.test(message))) return true
  if (type !== undefined && (code === 10 || (code === 0 && /\btype\b/i.test(message)))) return true
  return code === 0 && status >= 400 && (status < 500 || status === 501)
}

const notSubsonic = () => new UpstreamError('This is not a Subsonic server; is the address right?')
