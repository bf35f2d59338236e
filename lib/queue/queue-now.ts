// The current entry of an account and the device that plays it. Pure, like the queue. Times are Unix milliseconds of
// the server.
import type { QueueContent } from './account-queue.ts'

export interface QueueNow {
  /** The number of times that a device took over. 0 = nothing was played. */
  readonly turn: number
  /** The time at which the device took over. */
  readonly since: number
  /** The id of the current entry. Default: none */
  readonly entry?: string | undefined
  /** Milliseconds of music at `at`. */
  readonly position: number
  readonly isPlaying: boolean
  readonly device: string
  readonly at: number
}

/** A report of a device. */
export interface NowReport extends Pick<QueueNow, 'entry' | 'position' | 'isPlaying'> {
  /** The turn that the device has seen. */
  readonly seen: number
}

export const nothingNow: QueueNow = { turn: 0, since: 0, position: 0, isPlaying: false, device: '', at: 0 }

/** The time in milliseconds without a report after which a device no longer counts as playing. */
const silence = 45_000

/** Returns whether a device plays: it reports at least every 15 seconds. */
export const sounds = ({ isPlaying, at }: QueueNow, time: number): boolean => isPlaying && time - at < silence

/**
 * Returns the state after a report; `undefined` if another device has been here in the meantime. The device that plays
 * is always right.
 */
export function applyReport (
  now: QueueNow, { seen, entry, position, isPlaying }: NowReport, device: string, time: number
): QueueNow | undefined {
  if (now.device === device) return { ...now, entry, position, isPlaying, at: time }
  if (now.turn !== seen) return undefined
  return { turn: now.turn + 1, since: time, entry, position, isPlaying, device, at: time }
}

/** Returns the id of the current entry: the one that was played last, unless it was removed since. */
export const currentOf = ({ entries, current }: QueueContent, { entry }: QueueNow): string | undefined =>
  entries.some(([id]) => id === entry) ? entry : current

/** Returns the position of the current entry in milliseconds. */
export function positionOf (
  { entry, position, isPlaying, at }: QueueNow, current: string | undefined, time: number
): number {
  if (entry !== current) return 0
  return isPlaying ? position + Math.min(time - at, silence) : position
}
