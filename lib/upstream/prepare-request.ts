import { invalidOption } from '../errors/author-errors.ts'
import { NotFoundError } from '../contract/errors.ts'
import { validateMembers } from '../options/validate-members.ts'
import { requestRules } from './option-rules.ts'
import { upstreamError } from '../errors/upstream-error.ts'
import type { UpstreamRequest } from './upstream.ts'

/** A request ready to be sent. */
export interface PreparedRequest {
  /** The name for messages: method, host and path, without the query. */
  readonly name: string
  readonly method: string
  readonly origin: string
  readonly pathname: string
  /** The path with the query. */
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | undefined
  readonly idempotent: boolean
}

/**
 * @param accept the value of the `Accept` header
 * @param headers the headers of the upstream and of the scope; later ones win
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION; NotFoundError for dot segments
 */
export function prepareRequest<T> (
  baseUrl: string,
  path: string,
  request: UpstreamRequest<T>,
  accept: string,
  headers: readonly (Record<string, string> | undefined)[]
): PreparedRequest {
  validateMembers(request, requestRules)
  const { text, type } = bodyOf(request)
  const method = request.method?.toUpperCase() ?? (text === undefined ? 'GET' : 'POST')
  const url = urlOf(baseUrl, path, method)
  const query = textOf(request.query ?? {})
  return {
    name: `${method} ${url.host}${url.pathname}`,
    method,
    origin: url.origin,
    pathname: url.pathname,
    path: url.pathname + url.search + (query === '' ? '' : (url.search === '' ? '?' : '&') + query),
    headers: mergeHeaders({ accept, 'accept-encoding': 'gzip, br', ...type }, ...headers, request.headers),
    body: text,
    idempotent: request.idempotent ?? (method === 'GET' || method === 'HEAD')
  }
}

function urlOf (baseUrl: string, path: string, method: string): URL {
  if (typeof path !== 'string' || !/^(\/|$)/.test(path)) throw invalidOption('path', 'a path that starts with /')
  // The parser removes trailing spaces, which would turn an id like ".. " into a dot segment. The # prevents that.
  const url = new URL(`${baseUrl}${path}#`)
  // An id from a client may be "..", encoded or not. The URL parser would then remove a segment of the path.
  const segments = path.replace(/[\t\r\n]/g, '').split(/[?#]/, 1)[0]!.split(/[\\/]/)
  if (segments.some(segment => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw upstreamError(NotFoundError, `${method} ${url.host}: there is nothing at a path with dot segments`)
  }
  return url
}

interface SentBody { text?: string | Uint8Array, type?: Record<string, string> }

function bodyOf<T> ({ json, form, body }: UpstreamRequest<T>): SentBody {
  const given = [json, form, body].filter(value => value !== undefined)
  if (given.length > 1) throw invalidOption('body', 'the only one of json, form and body')
  if (json !== undefined) return { text: JSON.stringify(json), type: { 'content-type': 'application/json' } }
  if (form !== undefined) return { text: textOf(form), type: { 'content-type': 'application/x-www-form-urlencoded' } }
  return body === undefined ? {} : { text: body }
}

/** Returns the properties that are not `undefined`, URL-encoded. */
function textOf (values: Record<string, string | number | boolean | undefined>): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) text.append(name, String(value))
  }
  return String(text)
}

/** Merges headers with lower-case names, so that a later header replaces an earlier one. */
export function mergeHeaders (...all: readonly (Record<string, string> | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {}
  for (const headers of all) {
    for (const [name, value] of Object.entries(headers ?? {})) merged[name.toLowerCase()] = value
  }
  return merged
}
