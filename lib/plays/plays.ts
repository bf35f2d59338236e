import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { elapsed } from '../async/elapsed.ts'
import {
  isSamePlay, neededFor, playedAt, playedBetween, positionAt, type PlayState, type Progress
} from './heard-rule.ts'
import { PlayTeller, type Listener } from './play-teller.ts'

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

/** A play whose player sums up what was played: as it is now, or was at its end. */
export interface ToldPlay {
  readonly id: string
  readonly track: string
  readonly length: number
  readonly startedAt: number
  readonly position: number
  readonly played: number
  readonly state: PlayState
}

/** What a player tells when it has played something, perhaps long ago. */
interface Submission {
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
interface Playing extends Pick<Listener, 'username' | 'client'> {
  readonly track: string
  readonly startedAt: number
  readonly state: PlayState
  readonly position: number
  readonly rate: number
}

interface Play extends Pick<Listener, 'username' | 'client'> {
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
  /** Whether other accounts see it. */
  readonly isShared: boolean
}

type OnHeard = (heard: HeardPlay, listener: Listener) => Promise<void>

const minute = 60_000
/** Listeners whose plays are known at the same time, and how many of each. */
const mostListeners = 5000
const mostOfListener = 50
/** Tracks of listeners of which the latest plays are known, and how many of each. */
const mostTracks = 20_000
const mostOfTrack = 20

/** The plays of one source, whatever protocol tells them: what plays now, and what was heard, each play once. */
export class Plays {
  readonly #teller = new PlayTeller()
  /** By listener; those of each by app and track, since several devices may have the same app. */
  readonly #plays = new LRUCache<string, LRUCache<string, Play>>({ max: mostListeners })
  /** When the plays began that were heard, by listener and track. */
  readonly #heard = new LRUCache<string, number[]>({ max: mostTracks })
  readonly #listeners: { readonly keep: OnHeard, readonly told: (key: string) => void }[] = []

  /**
   * Calls a function with each play that was heard.
   *
   * @param told is called with the key of the listener when the adapter was told
   */
  onHeard (keep: OnHeard, told: (key: string) => void): void {
    this.#listeners.push({ keep, told })
  }

  /** Notes what a player tells of a play. Resolves when it is kept that it was heard. */
  async report (listener: Listener, report: PlayReport): Promise<void> {
    const { track, length, state, rate = 1, isNotice = false } = report
    const key = keyOf(listener, track)
    const plays = this.#of(listener)
    const kept = plays.peek(key)
    const isOver = kept === undefined || kept.progress.state === 'stopped' || state === 'starting' ||
      (report.position === undefined && kept.heardAt !== undefined)
    const now = Date.now()
    const at = elapsed()
    const { position = isOver ? 0 : positionAt(kept.progress, at, kept.length) } = report
    const progress = { state, position, rate, at }
    const play = isOver ? begin(listener, track, length, now, progress) : kept
    if (!isOver) play.length ??= length
    play.played += playedBetween(play.progress, progress, play.length)
    play.progress = progress
    play.toldAt = now
    // A notice says nothing of the end.
    const rest = Math.max(0, (play.length ?? 0) - position) / rate + 30 * minute
    play.until = now + (report.position === undefined ? 10 * minute : rest)
    plays.set(key, play)
    const isHeard = !isNotice && play.heardAt === undefined && play.played >= neededFor(play.length)
    await this.#note(listener, play, isHeard && this.#isNew(listener, play, [play.startedAt]))
  }

  /** Notes how far a play is, which may have been told before. Resolves when it is kept that it was heard. */
  async tell (listener: Listener, told: ToldPlay): Promise<void> {
    const { id, track, length, state, position, played } = told
    const plays = this.#of(listener)
    const now = Date.now()
    const progress = { state, position, rate: 1, at: elapsed() }
    const play = plays.peek(id) ?? { ...begin(listener, track, length, playedAt(told.startedAt, now), progress), id }
    play.progress = progress
    play.toldAt = now
    play.until = now + Math.max(0, length - position) + 30 * minute
    plays.set(id, play)
    const isHeard = play.heardAt === undefined && played >= neededFor(length)
    await this.#note(listener, play, isHeard && this.#isNew(listener, play, [play.startedAt]))
  }

  /** Notes that something was heard. Resolves when that is kept. */
  async submit (listener: Listener, { track, length, time }: Submission): Promise<void> {
    const now = Date.now()
    const at = playedAt(time, now)
    const known = this.#plays.get(listener.key)?.peek(keyOf(listener, track))
    const isKnown = known !== undefined && at >= known.startedAt - minute &&
      at <= known.toldAt + (known.length ?? 0) + 10 * minute
    if (isKnown && known.heardAt !== undefined &&
      (time === undefined ? isSamePlay(now, known.heardAt, known.length) : at <= known.heardAt)) return
    const isOfKnown = isKnown && known.heardAt === undefined
    const startedAt = isOfKnown && time === undefined ? known.startedAt : at
    const ended = { state: 'stopped', position: length ?? 0, rate: 1, at: elapsed() } as const
    const play = isOfKnown ? known : { ...begin(listener, track, length, startedAt, ended), progress: ended }
    if (isKnown) known.heardAt = now
    const told = { ...play, startedAt }
    if (this.#isNew(listener, told, [startedAt, play.startedAt])) await this.#note(listener, told, true)
  }

  /** What a listener plays now, and others who share that: the latest track of each app, in the order of reports. */
  playing (key: string): Playing[] {
    const now = Date.now()
    const isLatest = firstOf<string>()
    const shown = [...this.#plays.entries()].flatMap(([listener, plays]) => [...plays.values()].filter(play =>
      isLatest(JSON.stringify([listener, play.username, play.client])) && (listener === key || play.isShared)))
    const at = elapsed()
    return shown.filter(({ progress, until }) => progress.state !== 'stopped' && until >= now)
      .reverse().sort((a, b) => a.toldAt - b.toldAt)
      .map(({ username, client, track, startedAt, length, progress }) => {
        const { state, rate } = progress
        return { username, client, track, startedAt, state, rate, position: positionAt(progress, at, length) }
      })
  }

  async close (): Promise<void> {
    await this.#teller.close()
  }

  #of ({ key }: Listener): LRUCache<string, Play> {
    const plays = this.#plays.get(key) ?? new LRUCache<string, Play>({ max: mostOfListener })
    this.#plays.set(key, plays)
    return plays
  }

  /** Whether a play was not told before, by whatever protocol. */
  #isNew ({ key }: Listener, { track, length }: Play, starts: readonly number[]): boolean {
    const name = JSON.stringify([key, track])
    const heard = this.#heard.get(name) ?? []
    if (heard.some(other => starts.some(start => isSamePlay(start, other, length)))) return false
    this.#heard.set(name, [...heard, ...new Set(starts)].slice(-mostOfTrack))
    return true
  }

  async #note (listener: Listener, play: Play, heard: boolean): Promise<void> {
    const { id, track, startedAt, length, progress: { state, position } } = play
    const { context: { account }, client } = listener
    if (heard) play.heardAt = Date.now()
    const telling = this.#teller.tell(listener, { id, account, track, client, startedAt, position, state, heard })
    if (!heard) return
    telling.then(() => { for (const { told } of this.#listeners) told(listener.key) })
    await Promise.all(this.#listeners.map(({ keep }) => keep({ track, startedAt, length }, listener)))
  }
}

const keyOf = ({ key, username, client }: Listener, track: string) => JSON.stringify([key, username, client, track])

/** Tells of each value whether it is the first of its kind. */
function firstOf<T> (): (value: T) => boolean {
  const seen = new Set<T>()
  return value => seen.size < seen.add(value).size
}

const begin = (
  { username, client, context: { sharesPlaying = false } }: Listener, track: string, length: number | undefined,
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
  isShared: sharesPlaying
})
