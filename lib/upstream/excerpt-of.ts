import { secretsIn, withoutSecrets } from '../errors/without-secrets.ts'
import type { PreparedRequest } from './prepare-request.ts'

/**
 * The maximum length of the excerpt in characters, the length of the processed part, and the number of bytes that are
 * searched for sent values.
 */
const longest = 200
const looked = 2000
const searched = 8000

/** Headers whose values are not secret. */
const openHeaders = /^(accept|content-|user-agent)/

/** Properties and values whose name indicates a secret. */
const named = new RegExp(
  '((?:token|secret|passw(?:or)?d|pass|key|session|sid|sign|signature|auth|authorization|cookie|credentials?)' +
  '["\'\\]]*\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\.)*"?|\'[^\']*\'?|(?:(?:Bearer|Basic)\\s+)?[^\\s,;&<>}"\']+)', 'gi')

/** Long words. If they contain a digit, they are tokens, signatures or hashes, not words of a language. */
const longWords = /[\w+/=.~-]{20,}/g

/**
 * Returns the beginning of the body of an error response, for the log in development, because only the author can use
 * the upstream's message. Sent values (headers, query and body) and probable secrets are removed.
 */
export function excerptOf (body: Buffer, request: PreparedRequest): string {
  // Longest first, because removing a part of a secret would leave the rest of it.
  const secrets = sentValues(request).sort((a, b) => b.length - a.length)
  return withoutSecrets(String(body.subarray(0, searched)), secrets)
    .slice(0, looked)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(named, '$1[secret]')
    .replace(longWords, word => /\d/.test(word) ? '[secret]' : word)
    .trim()
    .slice(0, longest)
}

/** Returns the sent values, unchanged and URL-encoded. */
function sentValues ({ path, headers, body }: PreparedRequest): string[] {
  const ofHeaders = Object.entries(headers).filter(([name]) => !openHeaders.test(name))
    .flatMap(([, value]) => [...secretsIn(value), ...value.split(/[\s;,=]+/)])
  const logins = ofHeaders.flatMap(word => Buffer.from(word, 'base64').toString().split(':'))
  const ofQueries = [path.replace(/^[^?]*/, ''), `?${body}`]
    .flatMap(query => [...new URLSearchParams(query).values()])
  const ofJson = [...String(body).matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)]
    .map(([, text, isName]) => isName ? '' : text!)
  return [...ofHeaders, ...logins, ...ofQueries, ...ofJson]
    .flatMap(value => [value, encodeURIComponent(value.replace(/\p{Cs}/gu, ''))])
}
