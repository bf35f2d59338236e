import { LRUCache } from 'lru-cache'
import { atMost } from '../options/at-most.ts'

/** A time that nobody knows. */
export const epoch = '1970-01-01T00:00:00.000Z'

/** Apps know years of four digits only. */
const earliest = Date.parse('0001-01-01')
const latest = Date.parse('9999-12-31')

/** A time as apps get it. */
export interface Written {
  /** UTC with milliseconds; the epoch where the source does not know. */
  readonly text: string
  readonly year: number | undefined
  /** The day; only the month or the year where it is the first day of one: many sources know no more. */
  readonly date: { readonly year: number, readonly month?: number, readonly day?: number } | undefined
}

const unknown: Written = { text: epoch, year: undefined, date: undefined }

/** Albums of a page and their songs have the same few times, and writing one costs as much as the rest of an album. */
const written = new LRUCache<number, Written>(atMost(10_000))

/** A time in Unix milliseconds as apps get it; the epoch for one that they do not know. */
export const textOfTime = (unixTime: number): string =>
  unixTime >= earliest && unixTime <= latest ? new Date(unixTime).toISOString() : epoch

/** @param unixTime milliseconds */
export function writeTime (unixTime: number | null | undefined): Written {
  if (typeof unixTime !== 'number' || !(unixTime >= earliest && unixTime <= latest)) return unknown
  const known = written.get(unixTime)
  if (known !== undefined) return known
  // Upstreams give midnight of their own time zone.
  const near = new Date(unixTime + 43_200_000)
  const [year, month, day] = [near.getUTCFullYear(), near.getUTCMonth() + 1, near.getUTCDate()]
  const date = day !== 1 ? { year, month, day } : month === 1 ? { year } : { year, month }
  const made = { text: new Date(unixTime).toISOString(), year, date }
  written.set(unixTime, made)
  return made
}
