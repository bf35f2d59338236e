import { isObject } from './is-object.ts'

const warned = new Set<string>()

/**
 * Warns once of each option that will be removed in the next version, and that somebody has given.
 *
 * @param retired what to do instead, by the name of the option; `limits.tracks` is the member of an option
 * @param of whose options they are
 */
export function warnOfRetired (options: object, retired: Readonly<Record<string, string>>, of: string): void {
  for (const [name, instead] of Object.entries(retired)) {
    const given = name.split('.').reduce<unknown>((value, part) => isObject(value) ? value[part] : undefined, options)
    if (given === undefined || warned.has(`${of} ${name}`)) continue
    warned.add(`${of} ${name}`)
    process.emitWarning(`The option "${name}" of ${of} will be removed in the next version: ${instead}`, {
      type: 'DeprecationWarning', code: 'SOURCE_ORIGIN_WARN_RETIRED_OPTION'
    })
  }
}
