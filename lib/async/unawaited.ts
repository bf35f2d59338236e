import { Readable } from 'node:stream'
import { types } from 'node:util'

const isThenable = (value: unknown) => typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'

/** What a value is that nobody has waited for, and what is to be done; `undefined` for any other. */
export function unawaited (value: unknown): string | undefined {
  try {
    if (isThenable(value)) return 'a Promise: await it'
    if (value instanceof Readable || value instanceof ReadableStream) return 'a stream: read it'
    return Array.isArray(value) && value.some(isThenable) ? 'an array of promises: await Promise.all(…)' : undefined
  } catch {
    return undefined
  }
}

/** Objects that are searched in one value, so that one that leads to a whole program is not searched for ever. */
const mostObjects = 100_000

/** Objects of what was thrown: the causes of an error come first, and then whole connections. */
export const mostOfError = 100

const ignore = () => {}

/**
 * Handles the rejection of each promise in a value that nobody will use, so that none ends the process. Getters are
 * not called. Thenables of other kinds are left alone, since a query builder would send its query.
 *
 * @param most objects that are searched
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
    // The stack of an error is made when it is looked at, of what may throw.
    const keys = Reflect.ownKeys(object).filter(key => key !== 'stack')
    for (const key of keys) note(Reflect.getOwnPropertyDescriptor(object, key)!.value)
  }
}

/** The value, of which a promise ends the process no more if it is rejected. */
export function handled<T> (value: T): T {
  if (types.isPromise(value)) Promise.prototype.then.call(value, undefined, ignore)
  return value
}

/** Closes a stream that nobody will read, so that its connection is free and its error ends nothing. */
export function closeUnread (value: unknown): void {
  if (value instanceof Readable) value.on('error', ignore).destroy()
}
