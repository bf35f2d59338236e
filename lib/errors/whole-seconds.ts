/** Seconds of an error's `retryAfter` as `Retry-After` has them; `undefined` for what is no time. */
export const wholeSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.ceil(value) : undefined
