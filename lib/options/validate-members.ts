import { invalidOption, unknownOption } from '../errors/author-errors.ts'
import { isObject } from './is-object.ts'
import { didYouMean } from './did-you-mean.ts'

/** The rule of a property. Without `optional` the property is required. */
export interface MemberRule {
  readonly must: string
  readonly holds: (value: unknown) => boolean
  readonly optional?: boolean
  /** Returns why a valid value is probably a mistake: a warning in development. */
  readonly hint?: (value: unknown) => string | undefined
}

export type Rules = Readonly<Record<string, MemberRule>>

/** Returns the same rules for optional properties. */
export const optional = (rules: Rules): Rules =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, { ...rule, optional: true }]))

/**
 * Checks options against their rules. `undefined` counts as omitted.
 *
 * @param parent name of the option that contains the options
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function validateMembers (options: unknown, rules: Rules, parent?: string): void {
  const nameOf = (name: string) => parent === undefined ? name : `${parent}.${name}`
  if (!isObject(options)) throw invalidOption(parent ?? 'options', 'an object')
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(nameOf(name), didYouMean(name, Object.keys(rules)))
  }
  for (const [name, { must, holds, optional, hint }] of Object.entries(rules)) {
    const value = options[name]
    if (optional && value === undefined) continue
    if (!holds(value)) throw invalidOption(nameOf(name), must)
    const words = hint?.(value)
    if (words !== undefined) warnOfOption(nameOf(name), words)
  }
}

const warned = new Set<string>()

/** Warns in development of an option that is valid, but probably a mistake. Each warning is given once. */
function warnOfOption (name: string, hint: string): void {
  const message = `Option "${name}" ${hint}`
  if (warned.has(message) || process.env.NODE_ENV === 'production') return
  warned.add(message)
  process.emitWarning(message, {
    type: 'SourceOriginWarning', code: 'SOURCE_ORIGIN_WARN_ODD_OPTION'
  })
}
