import { longestTimeout } from '../async/longest-timeout.ts'
import type { Rule } from './check-members.ts'
import { isObject } from './is-object.ts'

export const aFunction: Rule = { must: 'a function', holds: value => typeof value === 'function' }
export const aBoolean: Rule = { must: 'a boolean', holds: value => typeof value === 'boolean' }
export const aString: Rule = { must: 'a string', holds: value => typeof value === 'string' }
export const anObject: Rule = { must: 'an object', holds: isObject }

/** Milliseconds that timers can wait. */
export const milliseconds = (least: number): Rule => ({
  must: `a number of milliseconds from ${least} to ${longestTimeout}`,
  holds: value => typeof value === 'number' && value >= least && value <= longestTimeout
})

/** A path in front of all routes of a plugin. */
export const aPrefix: Rule = {
  must: 'a path that starts with / and does not end with it',
  holds: value => typeof value === 'string' && /^(?:\/.*[^/])?$/.test(value)
}
