import type { Rule } from './check-members.ts'

/** The option `prefix`: a path in front of all routes of a plugin. */
export const prefixRule: Rule = {
  must: 'a path that starts with / and does not end with it',
  holds: value => typeof value === 'string' && /^(?:\/.*[^/])?$/.test(value)
}
