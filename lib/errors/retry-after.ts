/** Seconds that an answer may ask to wait: a day, so that none stops calls for ever. */
export const longestRetryAfter = 86_400

/**
 * Whole seconds that a `Retry-After` header asks for, as a number or as a date: 0 for a date that is over; `undefined`
 * if it says neither.
 */
export function readRetryAfter (header: string | null | undefined): number | undefined {
  const text = String(header)
  // Numbers first, since Date.parse takes 49.5 for a month of 2049.
  const seconds = /^\d+(?:\.\d*)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), longestRetryAfter)
}
