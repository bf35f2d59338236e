import type { LibraryKind } from '../contract/source-library.ts'
import { pauses } from './suspicion.ts'

/** The version of the format of the stored strings. */
export const form = 1

/** The hour at which the night ends. */
const nightEnds = 5

/** The last string of a stored library. */
export interface Head {
  readonly form: number
  readonly counts: Readonly<Record<LibraryKind, number>>
  readonly revision: string
  /** A digest of the strings in their order. */
  readonly order: string
  readonly changedAt: number
  readonly version: string
  readonly readAt: number
}

/** Returns whether a library must be read again even if it seems unchanged. */
export function isOld ({ readAt }: Head): boolean {
  const now = Date.now()
  const age = now - readAt
  return age >= pauses.day || (age >= pauses.night && new Date(now).getHours() < nightEnds)
}
