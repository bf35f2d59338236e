import { syncBuiltinESMExports } from 'node:module'
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

/** Gives exports of a module of Node other values until the test ends, for those too that import them by name. */
export function replaceExports<T extends object> (t: Test, module: T, exports: Partial<T>): void {
  const own = Object.fromEntries(Object.keys(exports).map(name => [name, module[name as keyof T]]))
  Object.assign(module, exports)
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(module, own)
    syncBuiltinESMExports()
  })
}
