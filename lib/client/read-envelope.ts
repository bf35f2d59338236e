import type { ErrorResponse, ServiceStatus } from '../../schemas/index.ts'
import { errors, SourceError, UpstreamError } from '../contract/errors.ts'
import { readUpTo } from '../async/read-up-to.ts'
import { markPartial } from '../contract/partial.ts'
import { readRetryAfter } from '../errors/retry-after.ts'
import { classOfStatus } from '../errors/upstream-status.ts'
import { isHttpUrl } from '../text/is-http-url.ts'
import { nameOf, type SourceRequest } from './send-request.ts'

type Members = Record<string, unknown>

/**
 * Returns the data of a response (docs/reference/contract.md, Envelope). Partial responses are marked as partial.
 *
 * @param maxBody maximum size of the body in bytes
 * @throws the error class of the response status, with its code and message; UpstreamError if the response has no
 * envelope or is longer
 */
export async function readEnvelope (request: SourceRequest, response: Response, maxBody: number): Promise<object> {
  const body = await readBody(request, response, maxBody)
  if (response.ok && body.code === 200 && body.data instanceof Object) {
    return markPartial(body.data, missingIn(response.headers.get('source-partial')))
  }
  if (response.status >= 400 && isError(body)) throw errorOf(response, body)
  throw noEnvelope(request, response)
}

/**
 * Reads an envelope with a playback URL. Other schemes are rejected, because opening the URL could open a file or run a
 * script.
 *
 * @throws UpstreamError for a URL that is not http or https
 */
export async function readTrackUrl (request: SourceRequest, response: Response, maxBody: number): Promise<unknown> {
  const data = await readEnvelope(request, response, maxBody)
  if (isHttpUrl(Reflect.get(data, 'url'))) return data
  throw new UpstreamError(`${nameOf(request)} answered with a URL that is not http or https`)
}

const missingIn = (header: string | null) => header === null ? [] : header.split(',').map(id => id.trim())

/** Reads the response of `GET /status`, which has no envelope. */
export async function readServiceStatus (
  request: SourceRequest, response: Response, maxBody: number
): Promise<ServiceStatus> {
  const body = await readBody(request, response, maxBody)
  if (response.ok && typeof body.status === 'string') return body as Members & ServiceStatus
  throw noEnvelope(request, response)
}

async function readBody (request: SourceRequest, { body }: Response, maxBody: number): Promise<Members> {
  const { bytes, isWhole } = await readUpTo(body ?? [], maxBody)
  if (!isWhole) throw new UpstreamError(`${nameOf(request)} answered more than ${maxBody} bytes`)
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return {}
  }
}

const isError = ({ code, message }: Members) => Number.isInteger(code) && typeof message === 'string'

// SourceError has no status of its own.
const classes = Object.values(errors) as readonly (typeof UpstreamError)[]

function errorOf ({ status, headers }: Response, body: Members): SourceError {
  const { code, message } = body as Members & ErrorResponse
  const options = { code, retryAfterSeconds: readRetryAfter(headers.get('retry-after')) }
  const ofContract = classes.find(ErrorClass => new ErrorClass().status === status)
  const ErrorClass = ofContract ?? classOfStatus(status)
  return ErrorClass ? new ErrorClass(message, options) : new SourceError(status, message, options)
}

function noEnvelope (request: SourceRequest, { status, headers }: Response): UpstreamError {
  const type = headers.get('content-type') ?? 'without a content type'
  return new UpstreamError(`${nameOf(request)} answered ${status} ${type} instead of the envelope`)
}
