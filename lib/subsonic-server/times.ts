import { LRUCache } from 'lru-cache'
import { lruOptions } from '../options/lru-options.ts'

/** Stands for an unknown time. */
export const epoch = '1970-01-01T00:00:00.000Z'

/** Apps support only four-digit years. */
const earliest = Date.parse('0001-01-01')
const latest = Date.parse('9999-12-31')

/** A time in the formats of responses. */
export interface Written {
  /** UTC with milliseconds; the epoch if unknown. */
  readonly text: string
  readonly year: number | undefined
  /** The date. On the first day of a month or year, only the month or year is set, since many sources know no more. */
  readonly date: { readonly year: number, readonly month?: number, readonly day?: number } | undefined
}

const unknown: Written = { text: epoch, year: undefined, date: undefined }

/** Albums of a page and their songs share a few times, and formatting a time costs as much as the rest of an album. */
const written = new LRUCache<number, Written>(lruOptions(10_000))

/** Formats a time in Unix milliseconds for apps; the epoch for times outside their range. */
export const textOfTime = (unixTime: number): string =>
  unixTime >= earliest && unixTime <= latest ? new Date(unixTime).toISOString() : epoch

/** @param unixTime milliseconds */
export function writeTime (unixTime: number | null | undefined): Written {
  if (typeof unixTime !== 'number' || !(unixTime >= earliest && unixTime <= latest)) return unknown
  const known = written.get(unixTime)
  if (known !== undefined) return known
  // Upstreams send midnight of their own time zone.
  const near = new Date(unixTime + 43_200_000)
  const [year, month, day] = [near.getUTCFullYear(), near.getUTCMonth() + 1, near.getUTCDate()]
  const date = day !== 1 ? { year, month, day } : month === 1 ? { year } : { year, month }
  const made = { text: new Date(unixTime).toISOString(), year, date }
  written.set(unixTime, made)
  return made
}
