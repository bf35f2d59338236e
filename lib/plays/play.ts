import { randomUUID } from 'node:crypto'
import type { PlayState, Progress } from './play-rule.ts'
import type { Listener } from './on-play-queue.ts'

/** A report of a player during playback. Times and positions are milliseconds. */
export interface PlayReport {
  readonly track: string
  readonly length?: number | undefined
  readonly state: PlayState
  /** Default: the current position, for apps that report only the track. */
  readonly position?: number | undefined
  readonly rate?: number | undefined
  /** If `true`, the app reports only the current track, and counted plays with `submit`. */
  readonly isNotice?: boolean
}

/** A report of a player after playback, possibly of long ago. */
export interface Submission {
  readonly track: string
  readonly length?: number | undefined
  /** The Unix time as sent by the app. Default: now. */
  readonly time?: number | undefined
}

/** A counted play; `startedAt` in Unix milliseconds. */
export interface HeardPlay {
  readonly track: string
  readonly startedAt: number
  readonly length: number | undefined
}

/** The current state of a play. */
export interface Playing extends Pick<Listener, 'username' | 'client'> {
  readonly track: string
  readonly startedAt: number
  readonly state: PlayState
  readonly position: number
  readonly rate: number
}

/** The stored state of a play. */
export interface Play extends Pick<Listener, 'username' | 'client'> {
  readonly id: string
  readonly track: string
  readonly startedAt: number
  length: number | undefined
  progress: Progress
  played: number
  /** The time of the last report, and the time until which it counts as playing, in Unix milliseconds. */
  toldAt: number
  until: number
  heardAt: number | undefined
  /** The value of the context: whether other accounts see the play. */
  readonly sharesPlaying: Listener['context']['sharesPlaying']
}

/** Returns the key of a play of an app. */
export const keyOf = ({ key, username, client }: Listener, track: string) =>
  JSON.stringify([key, username, client, track])

export const begin = (
  { username, client, context: { sharesPlaying } }: Listener, track: string, length: number | undefined,
  startedAt: number, progress: Progress
): Play => ({
  username,
  client,
  id: randomUUID(),
  track,
  startedAt,
  length,
  // Nothing has been played yet.
  progress: { ...progress, state: 'starting' },
  played: 0,
  toldAt: startedAt,
  until: startedAt,
  heardAt: undefined,
  sharesPlaying
})
