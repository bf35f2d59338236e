import { isError } from './as-error.ts'
import { ThrownValue } from './thrown-value.ts'
import { withoutSecrets, withoutUrlSecrets } from './without-secrets.ts'

/** The maximum length of a message in the log, and of its details, in characters. */
const mostText = 10_000
const mostDetail = 300
/** The maximum number of errors of an AggregateError in the log. */
const mostErrors = 5
/**
 * Properties with details from databases and the system. Other properties are omitted, because HTTP clients attach
 * requests to errors.
 */
const details = ['code', 'detail', 'errno', 'syscall'] as const

/**
 * Returns an error for the log: with its class, code and detail, and the errors of an AggregateError. The chain of
 * causes is limited to ten errors.
 */
export function loggable (error: unknown, secrets: readonly string[], causes = 10): Error {
  const clean = (text: unknown, most = Infinity) =>
    withoutUrlSecrets(withoutSecrets(String(text), secrets)).slice(0, most)
  const logThrown = (value: unknown) =>
    typeof value === 'string' ? new ThrownValue(value, `"${clean(value, mostDetail)}"`) : new ThrownValue(value)
  if (!isError(error)) return logThrown(error)
  if (error instanceof ThrownValue) {
    return isError(error.value) ? loggable(error.value, secrets, causes) : logThrown(error.value)
  }
  try {
    const cause = error.cause === undefined || causes === 0 ? {} : { cause: loggable(error.cause, secrets, causes - 1) }
    const copy = new Error(clean(error.message, mostText), cause)
    const kind = Reflect.get(error, 'constructor')
    // Loggers take the class from the constructor, or otherwise from the name.
    const hidden = (value: unknown) => ({ value, configurable: true, enumerable: false })
    Object.defineProperties(copy, {
      name: hidden(clean(typeof kind === 'function' ? kind.name : error.name, mostDetail)),
      constructor: hidden(undefined),
      stack: hidden(shortened(clean(error.stack)))
    })
    for (const name of details) {
      const value: unknown = Reflect.get(error, name)
      if (typeof value === 'number') Reflect.set(copy, name, value)
      if (typeof value === 'string') Reflect.set(copy, name, clean(value, mostDetail))
    }
    const errors: unknown = Reflect.get(error, 'errors')
    if (Array.isArray(errors) && causes > 0) {
      const some = errors.slice(0, mostErrors).map(one => loggable(one, secrets, causes - 1))
      Object.defineProperty(copy, 'errors', hidden(some))
    }
    return copy
  } catch {
    return new ThrownValue(error)
  }
}

/** Returns a stack without the middle of a long message. */
const shortened = (stack: string): string =>
  stack.length > 2 * mostText ? `${stack.slice(0, mostText)} … ${stack.slice(-mostText)}` : stack
