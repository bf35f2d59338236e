import { validateHeaderName, validateHeaderValue } from 'node:http'
import { optional, type MemberRule, type Rules } from '../options/validate-members.ts'
import { isObject } from '../options/is-object.ts'
import {
  aBaseUrl, aBoolean, aFunction, aText, hasMethods, hintOfDuration, wholeNumber
} from '../options/member-rules.ts'
import { isHttpUrl } from '../text/is-http-url.ts'
import { longestTimeout } from '../async/longest-timeout.ts'

const whole = (least: number): MemberRule => wholeNumber(least, longestTimeout)
const milliseconds = (least: number): MemberRule => ({
  ...whole(least), must: `a whole number of milliseconds from ${least} to ${longestTimeout}`, hint: hintOfDuration
})

/** Rejects `Headers`, `URLSearchParams` and `Map`, whose entries are not properties. */
const isPlain = (value: unknown) => isObject(value) && !(Symbol.iterator in value)
const object: MemberRule = { must: 'a plain object', holds: isPlain }
/** Rejects null, which would be sent as a word. Omitted values are `undefined`. */
const texts: MemberRule = {
  must: 'a plain object of texts, numbers, booleans and undefined',
  holds: value => isPlain(value) && Object.values(value as object).every(member =>
    ['string', 'number', 'boolean', 'undefined'].includes(typeof member))
}
const headers: MemberRule = {
  must: 'a plain object of header names with text without line breaks',
  holds: value => isPlain(value) && areHeaders(value as Record<string, unknown>)
}

function areHeaders (value: Record<string, unknown>): boolean {
  try {
    for (const [name, text] of Object.entries(value)) {
      if (typeof text !== 'string') return false
      validateHeaderName(name)
      validateHeaderValue(name, text)
    }
    return true
  } catch {
    return false
  }
}

export const optionRules: Rules = {
  baseUrl: aBaseUrl,
  ...optional({
    name: {
      must: 'up to 50 letters, digits, -, _ and .',
      holds: value => typeof value === 'string' && /^[\w.-]{1,50}$/.test(value)
    },
    trusted: aBoolean,
    headers,
    timeout: milliseconds(1),
    budget: milliseconds(1),
    retries: whole(0),
    concurrency: whole(1),
    accountConcurrency: whole(1),
    breaker: aBoolean,
    maxBody: whole(1),
    proxy: { must: 'true or the http or https URL of a proxy', holds: value => value === true || isHttpUrl(value) },
    dispatcher: { must: 'a dispatcher of undici', holds: hasMethods('dispatch', 'request') }
  })
}

export const scopeRules: Rules = optional({
  requestId: {
    must: 'text without line breaks',
    holds: value => areHeaders({ 'x-request-id': value })
  },
  account: aText,
  signal: { must: 'an AbortSignal', holds: value => value instanceof AbortSignal },
  log: { must: 'a logger', holds: hasMethods('debug', 'warn') },
  headers
})

export const requestRules: Rules = optional({
  method: { must: 'an HTTP method', holds: value => typeof value === 'string' && /^[a-z]+$/i.test(value) },
  query: texts,
  headers,
  json: {
    must: 'a value that JSON can write',
    holds: value => !/^(function|symbol|bigint)$/.test(typeof value)
  },
  form: texts,
  body: { must: 'text or bytes', holds: value => typeof value === 'string' || value instanceof Uint8Array },
  idempotent: aBoolean,
  timeout: milliseconds(1),
  retries: whole(0),
  errors: object,
  check: aFunction
})
