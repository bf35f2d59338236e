import { secretsIn, withoutSecrets } from '../errors/without-secrets.ts'
import type { PreparedRequest } from './prepare-request.ts'

/** Characters of a body that the log gets, those that are looked at, and bytes that are searched for what was sent. */
const longest = 200
const looked = 2000
const searched = 8000

/** Headers whose values are no secrets. */
const openHeaders = /^(accept|content-|user-agent)/

/** Members and values whose name says that they are secret. */
const named = new RegExp(
  '((?:token|secret|passw(?:or)?d|pass|key|session|sid|sign|signature|auth|authorization|cookie|credentials?)' +
  '["\'\\]]*\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\.)*"?|\'[^\']*\'?|(?:(?:Bearer|Basic)\\s+)?[^\\s,;&<>}"\']+)', 'gi')

/** Long words: with a digit in them they are tokens, signatures and hashes, and no words of a language. */
const longWords = /[\w+/=.~-]{20,}/g

/**
 * The beginning of the body of a refusal, for the log in development: only the author can use what an upstream says.
 * What was sent (headers, values of query and body) is taken out of it, and what looks like a secret.
 */
export function excerptOf (body: Buffer, request: PreparedRequest): string {
  // Longest first: a part of a secret would leave the rest of it.
  const secrets = sentValues(request).sort((a, b) => b.length - a.length)
  return withoutSecrets(String(body.subarray(0, searched)), secrets)
    .slice(0, looked)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(named, '$1[secret]')
    .replace(longWords, word => /\d/.test(word) ? '[secret]' : word)
    .trim()
    .slice(0, longest)
}

/** Values that were sent, as they are and as they stand in URLs. */
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
