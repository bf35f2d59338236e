import { types } from 'node:util'

/**
 * Returns the result of a function as a promise if it must be awaited: a promise, or any object with a `then`.
 * Otherwise returns `undefined`.
 */
export function promiseOf<T> (result: T | Promise<T>): Promise<T> | undefined {
  const then: unknown = (result as { then?: unknown } | null | undefined)?.then
  if (typeof then !== 'function') return undefined
  // In a custom thenable, `then` may be a getter, so it is read once.
  return types.isPromise(result)
    ? Promise.resolve(result as Promise<T>)
    : new Promise((resolve, reject) => Reflect.apply(then, result, [resolve, reject]))
}
