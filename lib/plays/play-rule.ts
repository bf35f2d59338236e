/** The state of a play, in the terms of OpenSubsonic. */
export type PlayState = 'starting' | 'playing' | 'paused' | 'stopped'

/**
 * A play in the form of players that count the played time themselves: its current state, or its state at the end.
 * Times, lengths and positions are milliseconds.
 */
export interface ReportedPlay {
  readonly id: string
  readonly track: string
  readonly length: number
  readonly startedAt: number
  readonly position: number
  readonly played: number
  readonly state: PlayState
}

/** The progress of a play. Times are milliseconds, positions are positions in the track. */
export interface Progress {
  readonly state: PlayState
  readonly position: number
  /** The playback speed; 1 = normal. */
  readonly rate: number
  /** The time of the report, by a monotonic clock. */
  readonly at: number
}

/** The time in milliseconds after which a play counts, however long the track is. */
const longestNeeded = 240_000
/**
 * The minimum interval in milliseconds between two plays of a track of unknown length. Closer plays are the same play.
 */
const leastBetween = 30_000

/**
 * Returns the time in milliseconds that must be played until a play counts: half of the track or four minutes,
 * whichever is shorter.
 *
 * @param length of the track in milliseconds; 0 = unknown
 */
export const playThreshold = (length = 0): number => length > 0 ? Math.min(length / 2, longestNeeded) : longestNeeded

/**
 * Returns the interval in milliseconds within which two starts of a track belong to the same play, reported twice,
 * because the first play could not have counted before the second one began.
 *
 * @param length of the track in milliseconds; 0 = unknown
 */
export const duplicatePlayWindow = (length = 0): number => length > 0 ? playThreshold(length) : leastBetween

/**
 * Returns the time in milliseconds that was played between two reports. Skipped parts do not count, and neither does
 * the time during which the player stalled or the machine slept.
 */
export function playedBetween (before: Progress, next: Progress, length = 0): number {
  if (before.state !== 'playing') return 0
  const passed = Math.max(0, next.at - before.at) * before.rate
  const moved = next.position - before.position
  const rest = length > 0 ? Math.max(0, length - before.position) : Infinity
  return Math.min(passed, moved < 0 ? rest : moved)
}

/** Returns the current position of a play in milliseconds. */
export function positionAt ({ state, position, rate, at }: Progress, now: number, length = 0): number {
  const moved = state === 'playing' ? position + Math.max(0, now - at) * rate : position
  return Math.round(Math.min(moved, length > 0 ? Math.max(length, position) : Infinity))
}

/** Returns whether two plays of a track are the same one, reported twice. */
export const isDuplicatePlay = (startedAt: number, other: number, length = 0): boolean =>
  Math.abs(startedAt - other) < duplicatePlayWindow(length)

/** A time below this is in seconds, because in milliseconds it would be before 1973. */
const leastMilliseconds = 1e11

/**
 * Returns the time of a play in Unix milliseconds. Apps may send seconds, a time in the future, no time, or, with a
 * wrong clock, a time before 1970.
 */
export function playedAt (told: number | undefined, now: number): number {
  if (told === undefined || !(told > 0)) return now
  return Math.round(Math.min(told < leastMilliseconds ? told * 1000 : told, now))
}
