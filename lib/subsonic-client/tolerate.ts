import { NotFoundError } from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import { isoTime } from '../text/iso-time.ts'

/** A response of another server, which may contain anything. */
export type Given = Record<string, unknown>

/**
 * Returns a list of objects. Old servers send an object instead of a list with one item, and nothing instead of an
 * empty list.
 */
export const listOf = (value: unknown): Given[] => [value].flat().filter(isObject)

export const objectOf = (value: unknown): Given => isObject(value) ? value : {}

/** Returns a string; some servers send numbers as ids. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** Reads a finite number of at least 0, also from a string. */
export function numberOf (value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}

export const flagOf = (value: unknown): boolean => value === true || value === 'true'

/** Returns Unix milliseconds of an ISO 8601 time. Without a zone it is UTC. */
export function timeOf (value: unknown): number | undefined {
  const time = isoTime(textOf(value).trim())
  return Number.isNaN(time) ? undefined : time
}

/** Returns Unix milliseconds of an OpenSubsonic date: an object with at least a year. */
export function dateOf (value: unknown): number | undefined {
  const { year, month, day } = objectOf(value)
  const given = numberOf(year)
  if (!given) return undefined
  return Date.UTC(given, (numberOf(month) || 1) - 1, numberOf(day) || 1)
}

/** Returns a response; `undefined` for "not found", which some servers send if there is nothing to show. */
export async function unlessGone (answer: Promise<Given | undefined>): Promise<Given | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
