import { RateLimitedError, SourceError, TimeoutError, UpstreamError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'

/** Characters of a message that are shown. */
const longest = 300

/** Whether no answer came at all. */
export const isUnconnected = (error: unknown) => error instanceof UpstreamError && error.cause !== undefined

/** An error as a sentence for people. */
export function explain (error: unknown): string {
  if (error instanceof TimeoutError) return text('errorTimeout')
  if (error instanceof RateLimitedError) {
    const { retryAfter } = error
    return retryAfter === undefined ? text('errorLimited') : text('errorLimitedFor', { seconds: retryAfter })
  }
  if (isUnconnected(error)) return text('errorConnection')
  if (error instanceof SourceError && error.status >= 500) return text('errorSource', { message: cut(error.message) })
  return cut(error instanceof Error ? error.message : String(error))
}

export const cut = (value: string, length = longest) => value.length > length ? `${value.slice(0, length)}…` : value

/** A list of an answer. @throws UpstreamError for what is none */
export function listOf<T> (value: unknown): T[] {
  if (!Array.isArray(value)) throw new UpstreamError(text('errorAnswer'))
  return value as T[]
}

/** The items of a list that can be shown; answers are not proven to keep the contract. */
export const itemsOf = <T extends { id: string }> (value: unknown): T[] =>
  listOf<T>(value).filter(item => typeof item === 'object' && item !== null && typeof item.id === 'string')

/** An object of an answer. @throws UpstreamError for what is none */
export function itemOf<T extends { id: string }> (value: T): T {
  if (typeof value !== 'object' || value === null || typeof value.id !== 'string') {
    throw new UpstreamError(text('errorAnswer'))
  }
  return value
}
