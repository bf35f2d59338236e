import { removedOption } from '../errors/author-errors.ts'

/**
 * Refuses options that an older version had.
 *
 * @param removed what there is instead, by the name of the option
 * @throws SOURCE_ORIGIN_ERR_UNKNOWN_OPTION
 */
export function refuseRemoved (options: object, removed: Readonly<Record<string, string>>): void {
  for (const [name, instead] of Object.entries(removed)) {
    if (Object.hasOwn(options, name)) throw removedOption(name, instead)
  }
}
