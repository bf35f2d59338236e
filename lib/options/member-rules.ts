import { longestTimeout } from '../async/longest-timeout.ts'
import type { MemberRule } from './validate-members.ts'
import { isHttpUrl } from '../text/is-http-url.ts'
import { isObject } from './is-object.ts'

export const aFunction: MemberRule = { must: 'a function', holds: value => typeof value === 'function' }
export const aBoolean: MemberRule = { must: 'a boolean', holds: value => typeof value === 'boolean' }
export const aString: MemberRule = { must: 'a string', holds: value => typeof value === 'string' }
export const aText: MemberRule =
  { must: 'a text that is not empty', holds: value => typeof value === 'string' && value !== '' }
export const anObject: MemberRule = { must: 'an object', holds: isObject }
export const aRegExp: MemberRule = { must: 'a regular expression', holds: value => value instanceof RegExp }
export const areFunctions: MemberRule = {
  must: 'an object of functions',
  holds: value => isObject(value) && Object.values(value).every(member => typeof member === 'function')
}

/** Creates a function that checks whether a value is an object with functions of these names. */
export const hasMethods = (...names: readonly string[]) => (value: unknown): boolean =>
  isObject(value) && names.every(name => typeof value[name] === 'function')

export const aStore: MemberRule = {
  must: 'an object with the functions get and change', holds: hasMethods('get', 'change')
}

export const aTranscoder: MemberRule = { must: 'a transcoder made by createTranscoder', holds: hasMethods('send') }

export const anUpstream: MemberRule = { must: 'an upstream made by createUpstream', holds: hasMethods('for') }

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER): MemberRule => ({
  must: `a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`,
  holds: value => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
})

export const aBaseUrl: MemberRule = {
  must: 'an http or https URL without credentials, query and fragment',
  holds: value => {
    if (!isHttpUrl(value) || /[?#]/.test(value)) return false
    const { username, password } = new URL(value)
    return username + password === ''
  }
}

export const aPublicUrl: MemberRule = {
  must: 'an http or https URL without a slash at the end',
  holds: value => typeof value === 'string' && /^https?:\/\/.*[^/]$/.test(value)
}

/** A week. */
const longestUsual = 604_800_000

/** Returns why a duration is probably in another unit. */
export function hintOfDuration (value: unknown): string | undefined {
  // The longest timeout and Infinity stand for no limit.
  if (typeof value !== 'number' || value <= 0 || [longestTimeout, Infinity].includes(value)) return undefined
  if (value < 100) return `is ${value} milliseconds: if seconds are meant, multiply by 1000`
  return value > longestUsual ? `is ${Math.round(value / 86_400_000)} days, in milliseconds` : undefined
}

/** Returns the rule of a time in milliseconds that timers support. */
export const milliseconds = (least: number): MemberRule => ({
  must: `a number of milliseconds from ${least} to ${longestTimeout}`,
  holds: value => typeof value === 'number' && value >= least && value <= longestTimeout,
  hint: hintOfDuration
})

/** The rule of a path prefix of all routes of a plugin. */
export const aPrefix: MemberRule = {
  must: 'a path that starts with / and does not end with it',
  holds: value => typeof value === 'string' && /^(?:\/.*[^/])?$/.test(value)
}
