import { NotFoundError } from '../contract/errors.ts'
import { isObject } from '../options/is-object.ts'
import { isoTime } from '../text/iso-time.ts'

/** What another server answered: nothing of it is certain. */
export type Given = Record<string, unknown>

/** A list of objects. Old servers write one object where a list is due, and none where it is empty. */
export const listOf = (value: unknown): Given[] => [value].flat().filter(isObject)

export const objectOf = (value: unknown): Given => isObject(value) ? value : {}

/** Text; some servers have numbers as ids. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** A finite number of 0 or more, written as text or not. */
export function numberOf (value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}

export const flagOf = (value: unknown): boolean => value === true || value === 'true'

/** Unix milliseconds of a time in ISO 8601; without a zone it is UTC. */
export function timeOf (value: unknown): number | undefined {
  const time = isoTime(textOf(value).trim())
  return Number.isNaN(time) ? undefined : time
}

/** Unix milliseconds of an OpenSubsonic date: an object with the year at least. */
export function dateOf (value: unknown): number | undefined {
  const { year, month, day } = objectOf(value)
  const given = numberOf(year)
  if (!given) return undefined
  return Date.UTC(given, (numberOf(month) || 1) - 1, numberOf(day) || 1)
}

/** An answer; `undefined` for "not found", which some servers say where there is nothing to show. */
export async function unlessGone (answer: Promise<Given | undefined>): Promise<Given | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}
