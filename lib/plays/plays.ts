import { LRUCache } from 'lru-cache'
import { elapsed } from '../async/elapsed.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { SourceError } from '../contract/errors.ts'
import { keepsPlaysOf } from '../contract/keeps-plays.ts'
import { lruOptions } from '../options/lru-options.ts'
import { playThreshold, isDuplicatePlay, playedAt, playedBetween, positionAt, type ReportedPlay } from './play-rule.ts'
import { begin, keyOf, type HeardPlay, type Play, type Playing, type PlayReport, type Submission } from './play.ts'
import { OnPlayQueue, type Listener } from './on-play-queue.ts'

type OnHeard = (heard: HeardPlay, listener: Listener) => Promise<void>

const minute = 60_000
/** The timeout in milliseconds for the check whether an account shares its current play. */
const askTimeout = 1000
/** The maximum number of listeners in memory, and of plays of each listener. */
const mostListeners = 5000
const mostOfListener = 50
/** The maximum number of tracks of listeners whose latest plays are in memory, and of plays of each track. */
const mostTracks = 20_000
const mostOfTrack = 20

/** The plays of one source, reported by any protocol: current plays, and counted plays without duplicates. */
export class Plays {
  readonly #teller = new OnPlayQueue()
  /** The plays by listener, then by app and track, because several devices may have the same app. */
  readonly #plays = new LRUCache<string, LRUCache<string, Play>>(lruOptions(mostListeners))
  /** The start times of counted plays, by listener and track. */
  readonly #heard = new LRUCache<string, number[]>(lruOptions(mostTracks))
  readonly #listeners: { readonly keep: OnHeard, readonly reported: (key: string) => void }[] = []

  /**
   * Calls a function with each counted play.
   *
   * @param reported called with the key of the listener after the call of the adapter
   */
  onHeard (keep: OnHeard, reported: (key: string) => void): void {
    this.#listeners.push({ keep, reported })
  }

  /**
   * Records a report of a player. Resolves when a counted play is stored.
   *
   * @throws SourceError (5xx) if a source that stores plays cannot do so now; the report then has no effect
   */
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
    const before = { progress: play.progress, played: play.played }
    play.played += playedBetween(play.progress, progress, play.length)
    play.progress = progress
    play.toldAt = now
    // A notice does not contain the length or the position.
    const rest = Math.max(0, (play.length ?? 0) - position) / rate + 30 * minute
    play.until = now + (report.position === undefined ? 10 * minute : rest)
    plays.set(key, play)
    const starts = [play.startedAt]
    const isHeard = !isNotice && play.heardAt === undefined && play.played >= playThreshold(play.length) &&
      this.#isNew(listener, play, starts)
    await this.#note(listener, play, isHeard ? starts : [], () => Object.assign(play, before))
  }

  /** Records the progress of a play, which may have been reported before. Resolves when a counted play is stored. */
  async tell (listener: Listener, reported: ReportedPlay): Promise<void> {
    const { id, track, length, state, position, played } = reported
    const plays = this.#of(listener)
    const now = Date.now()
    const progress = { state, position, rate: 1, at: elapsed() }
    const startedAt = playedAt(reported.startedAt, now)
    const play = plays.peek(id) ?? { ...begin(listener, track, length, startedAt, progress), id }
    play.progress = progress
    play.toldAt = now
    play.until = now + Math.max(0, length - position) + 30 * minute
    plays.set(id, play)
    const starts = [play.startedAt]
    const isHeard = play.heardAt === undefined && played >= playThreshold(length) && this.#isNew(listener, play, starts)
    await this.#note(listener, play, isHeard ? starts : [])
  }

  /** Records a counted play. Resolves when it is stored. */
  async submit (listener: Listener, { track, length, time }: Submission): Promise<void> {
    const now = Date.now()
    const at = playedAt(time, now)
    const known = this.#plays.get(listener.key)?.peek(keyOf(listener, track))
    const isKnown = known !== undefined && at >= known.startedAt - minute &&
      at <= known.toldAt + (known.length ?? 0) + 10 * minute
    if (isKnown && known.heardAt !== undefined &&
      (time === undefined ? isDuplicatePlay(now, known.heardAt, known.length) : at <= known.heardAt)) return
    const isOfKnown = isKnown && known.heardAt === undefined
    const startedAt = isOfKnown && time === undefined ? known.startedAt : at
    const ended = { state: 'stopped', position: length ?? 0, rate: 1, at: elapsed() } as const
    const play = isOfKnown ? known : { ...begin(listener, track, length, startedAt, ended), progress: ended }
    const before = { heardAt: known?.heardAt }
    if (isKnown) known.heardAt = now
    const reported = { ...play, startedAt }
    const starts = [startedAt, play.startedAt]
    if (!this.#isNew(listener, reported, starts)) return
    await this.#note(listener, reported, starts, () => { if (isKnown) Object.assign(known, before) })
  }

  /**
   * Returns the current plays of a listener, and of others who share theirs: the latest track of each app, in the order
   * of the reports.
   */
  async playing (key: string): Promise<Playing[]> {
    const now = Date.now()
    const isLatest = firstOf<string>()
    const shown = await Promise.all([...this.#plays.entries()].map(async ([listener, plays]) => {
      const current = [...plays.values()]
        .filter(({ username, client }) => isLatest(JSON.stringify([listener, username, client])))
        .filter(({ progress, until }) => progress.state !== 'stopped' && until >= now)
      const isSeen = await Promise.all(current.map(async play => listener === key || isShared(play)))
      return current.filter((_play, index) => isSeen[index])
    }))
    const at = elapsed()
    return shown.flat().reverse().sort((a, b) => a.toldAt - b.toldAt)
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

  /** Returns whether a counted play has not been reported before, by any protocol. */
  #isNew ({ key }: Listener, { track, length }: Play, starts: readonly number[]): boolean {
    const name = JSON.stringify([key, track])
    const heard = this.#heard.get(name) ?? []
    if (heard.some(other => starts.some(start => isDuplicatePlay(start, other, length)))) return false
    this.#heard.set(name, [...heard, ...new Set(starts)].slice(-mostOfTrack))
    return true
  }

  /**
   * @param starts start times that identify the counted play; empty if it does not count or was reported before
   * @param undo called if the play cannot be stored
   */
  async #note (listener: Listener, play: Play, starts: readonly number[], undo = () => {}): Promise<void> {
    const { id, track, startedAt, length, progress: { state, position } } = play
    const { context: { account, adapter }, client } = listener
    const heard = starts.length > 0
    if (heard) play.heardAt = Date.now()
    const telling = this.#teller.tell(
      listener, { id, account, track, client, startedAt, position, state, counted: heard }
    )
    if (!heard) return
    const kept = telling.then(failure => {
      for (const { reported } of this.#listeners) reported(listener.key)
      return failure
    })
    await Promise.all(this.#listeners.map(({ keep }) => keep({ track, startedAt, length }, listener)))
    // If the plays are stored elsewhere, the call of the adapter is not awaited.
    const failure = keepsPlaysOf(adapter, track) ? await kept : undefined
    if (!(failure instanceof SourceError) || failure.status < 500) return
    // The source itself detects plays that it has already stored.
    this.#heard.delete(JSON.stringify([listener.key, track]))
    play.heardAt = undefined
    undo()
    throw failure
  }
}

/** Returns whether others see the current plays of a listener; `false` if the source cannot decide that now. */
const isShared = async ({ sharesPlaying }: Play): Promise<boolean> => typeof sharesPlaying === 'function'
  ? withTimeout(async () => sharesPlaying(), { timeout: askTimeout }).then(shares => shares === true, () => false)
  : sharesPlaying === true

/** Creates a function that returns whether a value occurs for the first time. */
function firstOf<T> (): (value: T) => boolean {
  const seen = new Set<T>()
  return value => seen.size < seen.add(value).size
}
