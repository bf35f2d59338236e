/** What a player tells of a play, with the words of OpenSubsonic. */
export type PlayState = 'starting' | 'playing' | 'paused' | 'stopped'

/**
 * A play whose player sums up what was played: as it is now, or was at its end. Times, lengths and positions are
 * milliseconds.
 */
export interface ToldPlay {
  readonly id: string
  readonly track: string
  readonly length: number
  readonly startedAt: number
  readonly position: number
  readonly played: number
  readonly state: PlayState
}

/** How far a play is. Times are milliseconds, positions those of the track. */
export interface Progress {
  readonly state: PlayState
  readonly position: number
  /** How fast it plays; 1 = as it is. */
  readonly rate: number
  /** When that was told, by a clock that does not go back. */
  readonly at: number
}

/** Milliseconds after which a play is heard, however long the track is. */
const longestNeeded = 240_000
/** Plays of a track of unknown length that begin closer together are one. */
const leastBetween = 30_000

/**
 * Milliseconds of a track that have to be played until it counts as heard: half of it or four minutes.
 *
 * @param length of the track in milliseconds; 0 = unknown
 */
export const heardAfter = (length = 0): number => length > 0 ? Math.min(length / 2, longestNeeded) : longestNeeded

/**
 * Milliseconds between the beginnings of two plays of a track below which they are one play, told twice: neither could
 * have been heard before the other began.
 *
 * @param length of the track in milliseconds; 0 = unknown
 */
export const samePlayWithin = (length = 0): number => length > 0 ? heardAfter(length) : leastBetween

/**
 * Milliseconds of the track that were played between two reports. What was skipped is not played, and neither is the
 * time for which the player stalled or the machine slept.
 */
export function playedBetween (before: Progress, next: Progress, length = 0): number {
  if (before.state !== 'playing') return 0
  const passed = Math.max(0, next.at - before.at) * before.rate
  const moved = next.position - before.position
  const rest = length > 0 ? Math.max(0, length - before.position) : Infinity
  return Math.min(passed, moved < 0 ? rest : moved)
}

/** Where a play is by now. */
export function positionAt ({ state, position, rate, at }: Progress, now: number, length = 0): number {
  const moved = state === 'playing' ? position + Math.max(0, now - at) * rate : position
  return Math.round(Math.min(moved, length > 0 ? Math.max(length, position) : Infinity))
}

/** Whether two plays of a track are the same one, told twice. */
export const isSamePlay = (startedAt: number, other: number, length = 0): boolean =>
  Math.abs(startedAt - other) < samePlayWithin(length)

/** A time below this is in seconds: in milliseconds it would be before 1973. */
const leastMilliseconds = 1e11

/**
 * When something was played, in Unix milliseconds: apps tell seconds too, or times of the future, or none, and where
 * their clocks are wrong times before 1970.
 */
export function playedAt (told: number | undefined, now: number): number {
  if (told === undefined || !(told > 0)) return now
  return Math.round(Math.min(told < leastMilliseconds ? told * 1000 : told, now))
}
