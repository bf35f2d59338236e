import { randomUUID } from 'node:crypto'
import type { PlayState, Progress } from './heard-rule.ts'
import type { Listener } from './on-play-queue.ts'

/** What a player tells while it plays. Times and positions are milliseconds. */
export interface PlayReport {
  readonly track: string
  readonly length?: number | undefined
  readonly state: PlayState
  /** Default: where it is by now, from an app that says no more than what plays. */
  readonly position?: number | undefined
  readonly rate?: number | undefined
  /** Whether it tells what plays only: `submit` says what was heard. */
  readonly isNotice?: boolean
}

/** What a player tells when it has played something, perhaps long ago. */
export interface Submission {
  readonly track: string
  readonly length?: number | undefined
  /** Unix time as the app has it; default: now. */
  readonly time?: number | undefined
}

/** A track that was heard; `startedAt` in Unix milliseconds. */
export interface HeardPlay {
  readonly track: string
  readonly startedAt: number
  readonly length: number | undefined
}

/** A play as it is now. */
export interface Playing extends Pick<Listener, 'username' | 'client'> {
  readonly track: string
  readonly startedAt: number
  readonly state: PlayState
  readonly position: number
  readonly rate: number
}

/** What is known of a play. */
export interface Play extends Pick<Listener, 'username' | 'client'> {
  readonly id: string
  readonly track: string
  readonly startedAt: number
  length: number | undefined
  progress: Progress
  played: number
  /** When something was told of it, and until when it counts as playing: Unix milliseconds. */
  toldAt: number
  until: number
  heardAt: number | undefined
  /** Whether other accounts see it, as the context says. */
  readonly sharesPlaying: Listener['context']['sharesPlaying']
}

/** By which a play of an app is found again. */
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
  // Nothing of it was played yet.
  progress: { ...progress, state: 'starting' },
  played: 0,
  toldAt: startedAt,
  until: startedAt,
  heardAt: undefined,
  sharesPlaying
})
