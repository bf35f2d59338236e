/** Returns the seconds of an error's `retryAfterSeconds` for `Retry-After`; `undefined` for an invalid value. */
export const wholeSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.ceil(value) : undefined
