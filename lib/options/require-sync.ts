import { types } from 'node:util'
import { invalidOption } from '../errors/author-errors.ts'

/**
 * Returns the result of a function of the author, which must be synchronous.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION for a promise; its rejection, which would crash the process, is ignored
 */
export function requireSync<T> (option: string, returned: T): T {
  if (!types.isPromise(returned)) return returned
  returned.catch(() => {})
  throw invalidOption(option, 'a function that does not return a promise')
}

/** Wraps the functions among the properties, so that they throw if they return a promise. */
export const allSync = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, run]) => typeof run === 'function').map(([name, run]) =>
    [name, (...args: unknown[]) => requireSync(name, run(...args))])) as
    { [Name in keyof T]?: Exclude<T[Name], undefined> }
