/** The maximum delay in seconds: a day, so that no response stops calls forever. */
export const longestRetryAfter = 86_400

/**
 * Returns the delay of a `Retry-After` header, a number or a date, in whole seconds: 0 for a date in the past;
 * `undefined` for an invalid value.
 */
export function readRetryAfter (header: string | null | undefined): number | undefined {
  const text = String(header)
  // Numbers are parsed first, because Date.parse takes 49.5 for a month of 2049.
  const seconds = /^\d+(?:\.\d*)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), longestRetryAfter)
}
