/**
 * Seconds that a `Retry-After` header asks for, as a number or as a date: below 0 for a date that is over, `NaN` if it
 * says neither.
 */
export const readRetryAfter = (header: string): number =>
  // Numbers first, since Date.parse takes 49.5 for a month of 2049.
  /^\d+(?:\.\d*)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
