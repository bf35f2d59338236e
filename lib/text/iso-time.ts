/** Unix milliseconds of a date or a time in ISO 8601, `NaN` for what is none; without a zone it is UTC. */
export function isoTime (text: string): number {
  // As JavaScript writes times: most are.
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return Date.parse(text)
  const written = text
    .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
    // JavaScript takes a time without a zone as one of this machine.
    .replace(/^(\d{4}-\d\d-\d\d)[T ]([\d:.]+)$/, '$1T$2Z')
  return /^\d{4}-\d\d/.test(written) ? Date.parse(written) : NaN
}
