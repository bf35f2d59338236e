import { isError } from './as-error.ts'
import { ThrownValue } from './thrown-value.ts'
import { withoutSecrets, withoutUrlSecrets } from './without-secrets.ts'

/**
 * An error for the log: its members stay out, since HTTP clients hang requests with their headers on them.
 * The chain of causes is followed up to ten errors.
 */
export function loggable (error: unknown, secrets: readonly string[], causes = 10): Error {
  if (!isError(error)) return new ThrownValue(error)
  if (error instanceof ThrownValue) return isError(error.value) ? loggable(error.value, secrets, causes) : error
  try {
    const cause = error.cause === undefined || causes === 0 ? {} : { cause: loggable(error.cause, secrets, causes - 1) }
    const clean = (text: unknown) => withoutUrlSecrets(withoutSecrets(String(text), secrets))
    const copy = new Error(clean(error.message), cause)
    copy.stack = clean(error.stack)
    return copy
  } catch {
    return new ThrownValue(error)
  }
}
