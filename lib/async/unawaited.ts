import { Readable } from 'node:stream'
import { types } from 'node:util'

const isThenable = (value: unknown) => typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'

/** Describes a value that was not awaited, with a remedy; returns `undefined` for any other value. */
export function unawaited (value: unknown): string | undefined {
  try {
    if (isThenable(value)) return 'a Promise: await it'
    if (value instanceof Readable || value instanceof ReadableStream) return 'a stream: read it'
    return Array.isArray(value) && value.some(isThenable) ? 'an array of promises: await Promise.all(…)' : undefined
  } catch {
    return undefined
  }
}

/** The maximum number of objects that are searched in a value, because a value may reference a complete program. */
const mostObjects = 100_000

/**
 * The maximum number of objects that are searched in a thrown value: the causes of an error come first, then complete
 * connections.
 */
export const mostOfError = 100

const ignore = () => {}

/**
 * Handles the rejection of each promise in an unused value, so that it does not crash the process. Getters are not
 * called. Other thenables are ignored, because a query builder would send its query.
 *
 * @param most maximum number of objects to search
 */
export function discard (value: unknown, most = mostObjects): void {
  const found = new Set<object>()
  const note = (value: unknown) => {
    if (typeof value === 'object' && value !== null && found.size < most) found.add(value)
  }
  note(value)
  for (const object of found) {
    if (types.isProxy(object) || ArrayBuffer.isView(object)) continue
    handled(object)
    if (types.isMap(object)) Map.prototype.forEach.call(object, (value, key) => [key, value].forEach(note))
    if (types.isSet(object)) Set.prototype.forEach.call(object, note)
    // The stack of an error is computed at its first access, which may throw.
    const keys = Reflect.ownKeys(object).filter(key => key !== 'stack')
    for (const key of keys) note(Reflect.getOwnPropertyDescriptor(object, key)!.value)
  }
}

/** Returns the value. If it is a promise, its rejection does not crash the process any more. */
export function handled<T> (value: T): T {
  if (types.isPromise(value)) Promise.prototype.then.call(value, undefined, ignore)
  return value
}

/**
 * Closes a stream that will not be read, so that its connection is released and its error does not crash the process.
 */
export function closeUnread (value: unknown): void {
  if (value instanceof Readable) value.on('error', ignore).destroy()
}
