import type { Test } from 'tap'

/** Gives a member another value until the test ends. Unlike tap's `capture` and `intercept` it records nothing. */
export function replace<T extends object, K extends keyof T> (t: Test, object: T, name: K, value: T[K]): void {
  const own = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { value, writable: true, configurable: true })
  t.teardown(() => {
    if (own === undefined) Reflect.deleteProperty(object, name)
    else Object.defineProperty(object, name, own)
  })
}
