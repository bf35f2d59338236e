import { RateLimitedError, SourceError, TimeoutError, UpstreamError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'

/** The maximum number of shown characters of a message. */
const longest = 300

/** Returns whether there was no response at all. */
export const isUnconnected = (error: unknown) => error instanceof UpstreamError && error.cause !== undefined

/** Returns an error as a message for users. */
export function explain (error: unknown): string {
  if (error instanceof TimeoutError) return text('errorTimeout')
  if (error instanceof RateLimitedError) {
    const { retryAfterSeconds } = error
    return retryAfterSeconds === undefined
      ? text('errorLimited')
      : text(
        'errorLimitedFor', { seconds: retryAfterSeconds }
      )
  }
  if (isUnconnected(error)) return text('errorConnection')
  if (error instanceof SourceError && error.status >= 500) return text('errorSource', { message: cut(error.message) })
  return cut(error instanceof Error ? error.message : String(error))
}

export const cut = (value: string, length = longest) => value.length > length ? `${value.slice(0, length)}…` : value

/** Returns a list of a response. @throws UpstreamError for other values */
export function listOf<T> (value: unknown): T[] {
  if (!Array.isArray(value)) throw new UpstreamError(text('errorAnswer'))
  return value as T[]
}

/** Returns the items of a list that can be shown, since responses may violate the contract. */
export const itemsOf = <T extends { id: string }> (value: unknown): T[] =>
  listOf<T>(value).filter(item => typeof item === 'object' && item !== null && typeof item.id === 'string')

/** Returns an object of a response. @throws UpstreamError for other values */
export function itemOf<T extends { id: string }> (value: T): T {
  if (typeof value !== 'object' || value === null || typeof value.id !== 'string') {
    throw new UpstreamError(text('errorAnswer'))
  }
  return value
}
