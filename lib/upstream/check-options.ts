import { validateHeaderName, validateHeaderValue } from 'node:http'
import { optional, type Rule, type Rules } from '../options/check-members.ts'
import { isObject } from '../options/is-object.ts'
import { longestTimeout } from '../async/longest-timeout.ts'

const whole = (least: number): Rule => ({
  must: `a whole number from ${least} to ${longestTimeout}`,
  holds: value => Number.isInteger(value) && (value as number) >= least && (value as number) <= longestTimeout
})
const milliseconds = (least: number): Rule =>
  ({ ...whole(least), must: `a whole number of milliseconds from ${least} to ${longestTimeout}` })
const oneOf = (...values: unknown[]): Rule =>
  ({ must: values.map(value => JSON.stringify(value)).join(' or '), holds: value => values.includes(value) })

const urlOf = (value: unknown) => typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
const isHttp = (url: URL | undefined) => url?.protocol === 'http:' || url?.protocol === 'https:'
/** Not a `Headers`, `URLSearchParams` or `Map`: what is in those are no members. */
const isPlain = (value: unknown) => isObject(value) && !(Symbol.iterator in value)
const object: Rule = { must: 'a plain object', holds: isPlain }
const headers: Rule = {
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
  baseUrl: {
    must: 'an http or https URL without credentials, query and fragment',
    holds: value => {
      const url = urlOf(value)
      return url !== undefined && isHttp(url) && url.username + url.password === '' && !/[?#]/.test(value as string)
    }
  },
  ...optional({
    name: {
      must: 'up to 50 letters, digits, -, _ and .',
      holds: value => typeof value === 'string' && /^[\w.-]{1,50}$/.test(value)
    },
    own: oneOf(true, false),
    headers,
    timeout: milliseconds(1),
    maxWait: milliseconds(0),
    budget: milliseconds(1),
    retries: whole(0),
    concurrency: whole(1),
    accountConcurrency: whole(1),
    queue: whole(0),
    cooldownOf: oneOf('account', 'upstream'),
    breaker: { must: 'false or an object with failures and pause', holds: value => value === false || isObject(value) },
    maxBody: whole(1),
    proxy: { must: 'true or the http or https URL of a proxy', holds: value => value === true || isHttp(urlOf(value)) }
  })
}

export const breakerRules: Rules = { failures: whole(1), pause: milliseconds(1) }

export const scopeRules: Rules = optional({
  requestId: {
    must: 'text without line breaks',
    holds: value => areHeaders({ 'x-request-id': value })
  },
  account: { must: 'text that is not empty', holds: value => typeof value === 'string' && value !== '' },
  signal: { must: 'an AbortSignal', holds: value => value instanceof AbortSignal },
  log: {
    must: 'a logger',
    holds: value => isObject(value) && typeof value.debug === 'function' && typeof value.warn === 'function'
  },
  headers
})

export const requestRules: Rules = optional({
  method: { must: 'an HTTP method', holds: value => typeof value === 'string' && /^[a-z]+$/i.test(value) },
  query: object,
  headers,
  json: {
    must: 'a value that JSON can write',
    holds: value => !/^(function|symbol|bigint)$/.test(typeof value)
  },
  form: object,
  body: { must: 'text or bytes', holds: value => typeof value === 'string' || value instanceof Uint8Array },
  idempotent: { must: 'a boolean', holds: value => typeof value === 'boolean' },
  timeout: milliseconds(1),
  retries: whole(0),
  errors: object,
  check: { must: 'a function', holds: value => typeof value === 'function' }
})
