/**
 * Returns the Unix milliseconds of a date or time in ISO 8601; `NaN` for an invalid one. Without a time zone it is UTC.
 */
export function isoTime (text: string): number {
  // The format of JavaScript is the most frequent one.
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return Date.parse(text)
  const written = text
    .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
    // JavaScript would interpret a time without a zone as local time.
    .replace(/^(\d{4}-\d\d-\d\d)[T ]([\d:.]+)$/, '$1T$2Z')
  return /^\d{4}-\d\d/.test(written) ? Date.parse(written) : NaN
}
