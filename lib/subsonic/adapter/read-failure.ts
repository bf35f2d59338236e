import { NotFoundError, SourceError, UnauthorizedError, UnsupportedFeatureError, UpstreamError } from '../../contract/errors.ts'
import { isObject } from '../../contract/is-object.ts'
import type { UpstreamAnswer } from '../../upstream/index.ts'
import { numberOf, objectOf, textOf, type Given } from './tolerate.ts'

/** An answer with another status than 200: it may hold an envelope all the same. */
export class OtherStatus extends Error {
  readonly answer: UpstreamAnswer

  constructor (answer: UpstreamAnswer) {
    super(`HTTP ${answer.status}`)
    this.answer = answer
  }
}

/** The envelope of an answer; `undefined` for anything else. */
export function envelopeOf ({ body }: UpstreamAnswer): Given | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString().replace(/^\uFEFF/, ''))
    const envelope = isObject(parsed) ? parsed['subsonic-response'] : undefined
    return isObject(envelope) ? envelope : undefined
  } catch {
    return undefined
  }
}

export const codeOf = (envelope: Given): number => numberOf(objectOf(envelope.error).code) ?? 0

const missingStatuses = [404, 405, 410, 501]

/** How a call looks up what it names: with ids that may be wrong, or not. */
export interface Asked { readonly method: string, readonly byId: boolean }

/**
 * The error that an answer is. Messages of the server are for people, but may hold what was sent, so that they stay
 * out.
 *
 * @param status of HTTP
 */
export function failureOf ({ method, byId }: Asked, status: number, envelope: Given | undefined): SourceError {
  if (envelope === undefined) {
    if (status === 403) return new SourceError(403, `The server does not allow ${method}`)
    if (missingStatuses.includes(status)) return new UnsupportedFeatureError(`The server has no ${method}`)
    return new UpstreamError(status === 200
      ? 'This is not a Subsonic server; is the address right?'
      : `The server answered ${method} with HTTP ${status}`)
  }
  const code = codeOf(envelope)
  const message = textOf(objectOf(envelope.error).message)
  if (code >= 40 && code <= 44) return new UnauthorizedError(`The server refused the login of ${method}`)
  if (code === 50) return new SourceError(403, `The server does not allow ${method}`)
  if (code === 70 || (code === 0 && byId && /not found|no such|invalid|malformed|badly formed|uuid/i.test(message))) return new NotFoundError()
  if (code === 0 && status >= 400 && (status < 500 || status === 501)) return new UnsupportedFeatureError(`The server has no ${method}`)
  return new UpstreamError(`The server answered ${method} with error ${code}`)
}
