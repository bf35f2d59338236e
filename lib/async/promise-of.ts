import { types } from 'node:util'

/** What a function returned, as a promise if it has to be waited for: a promise, or any object with a `then`. */
export function promiseOf<T> (result: T | Promise<T>): Promise<T> | undefined {
  const then: unknown = (result as { then?: unknown } | null | undefined)?.then
  if (typeof then !== 'function') return undefined
  // Of anything but a promise it may be a getter, so it is read once.
  return types.isPromise(result)
    ? Promise.resolve(result as Promise<T>)
    : new Promise((resolve, reject) => Reflect.apply(then, result, [resolve, reject]))
}
