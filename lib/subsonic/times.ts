const epoch = '1970-01-01T00:00:00.000Z'

/** Apps know years of four digits only. */
const earliest = Date.parse('0001-01-01')
const latest = Date.parse('9999-12-31')

/** A time as apps get it. */
interface Written {
  /** UTC with milliseconds; the epoch where the source does not know. */
  readonly text: string
  readonly year: number | undefined
}

const unknown: Written = { text: epoch, year: undefined }

/** Albums of a page and their songs have the same few times, and writing one costs as much as the rest of an album. */
const written = new Map<number, Written>()
const mostWritten = 10_000

/** @param unixTime milliseconds */
export function writeTime (unixTime: number | null | undefined): Written {
  if (typeof unixTime !== 'number' || !(unixTime >= earliest && unixTime <= latest)) return unknown
  const known = written.get(unixTime)
  if (known !== undefined) return known
  if (written.size === mostWritten) written.clear()
  // Upstreams give midnight of their own time zone.
  const made = { text: new Date(unixTime).toISOString(), year: new Date(unixTime + 43_200_000).getUTCFullYear() }
  written.set(unixTime, made)
  return made
}
