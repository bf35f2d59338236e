import { effect } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import { playThreshold, playedBetween, type Progress, type ReportedPlay } from '../../../plays/internal.ts'
import { audio, onAudio } from './audio.ts'
import { newId } from './new-id.ts'
import { isKept } from './parked-accounts.ts'
import { given, playing } from './player-state.ts'
import { current, nameOf } from './queue.ts'
import { isPrivate } from './private.ts'
import { fetchOwn, isOwn } from './own.ts'
import { source, type SavedSource } from './saved-sources.ts'
import { session } from './session.ts'
import { keep, recall } from './storage.ts'
import { isPassing, tryLater } from './try-later.ts'

// Reports plays to the source beside the page, and retries failed reports later.

/** The maximum number of plays stored for a retry. */
const maxReports = 500

interface Run {
  play: ReportedPlay
  /** The progress at the last update; absent = unknown, so the step since is not counted. */
  before?: Progress | undefined
}

/** The current play, its queue entry and its account. */
let run: Run | undefined
let key: string | undefined
let owner: SavedSource

/** The latest unreported state of each play. */
let waiting = new Map<string, ReportedPlay>()
/** The storage key of the account's plays. */
let name = ''
let isTelling = false
let attempt = 0

const isHeard = ({ played, length }: ReportedPlay) => played >= playThreshold(length)
const kept = (): ReportedPlay[] => {
  const plays = recall<ReportedPlay[]>(name, [])
  return Array.isArray(plays) ? plays : []
}

/** Stores unreported plays, merged with plays of other tabs. */
function keepHeard (gone: readonly ReportedPlay[] = []): void {
  const isGone = new Set(gone.map(({ id }) => id))
  const plays = new Map([...kept(), ...[...waiting.values()].filter(isHeard)].map(play => [play.id, play]))
  const left = [...plays.values()].filter(({ id }) => !isGone.has(id) || waiting.has(id))
  if (left.length > 0 || isGone.size > 0) keep(name, left.slice(-maxReports))
}

/**
 * Sends the pending reports.
 *
 * @param isLeaving whether the page is closing, so that the browser completes the request alone
 */
async function tellAll (isLeaving = false): Promise<void> {
  if ((isTelling && !isLeaving) || waiting.size === 0 || session.value !== 'open') return
  const plays = [...waiting.values()].slice(0, maxReports)
  const asked = owner
  isTelling = true
  try {
    await fetchOwn(asked, 'POST plays', { now: Date.now(), plays }, undefined, isLeaving)
    attempt = 0
    forgetTold(plays, asked)
  } catch (error) {
    // A source that rejects them will do so again.
    if (isPassing(error)) tryLater(error, attempt++, tellAll)
    else forgetTold(plays, asked)
    return
  } finally {
    isTelling = false
  }
  tellAll()
}

function forgetTold (plays: readonly ReportedPlay[], asked: SavedSource): void {
  if (asked !== owner) return
  for (const told of plays) if (waiting.get(told.id) === told) waiting.delete(told.id)
  keepHeard(plays)
}

function note (run: Run, more: Partial<ReportedPlay>, isLeaving = false): void {
  const play = run.play = { ...run.play, ...more }
  if (isPrivate.value) return
  waiting.set(play.id, play)
  if (isHeard(play) && isKept()) keepHeard()
  tellAll(isLeaving)
}

/** Adds the time played since the last update. */
function sumUp (run: Run, element: HTMLAudioElement): void {
  const position = element.currentTime * 1000
  const state = element.paused ? 'paused' : 'playing'
  const next: Progress = { state, position, rate: element.playbackRate, at: performance.now() }
  const { play, before } = run
  if (before !== undefined) {
    run.play = { ...play, position, played: play.played + playedBetween(before, next, play.length) }
    if (!isHeard(play) && isHeard(run.play)) note(run, {})
  }
  run.before = next
}

function begin ({ id: track, durationMs }: Track, element: HTMLAudioElement): Run {
  const length = Number.isFinite(element.duration) ? element.duration * 1000 : Math.max(0, durationMs)
  key = current.value?.key
  return {
    play: { id: newId(), track, length, startedAt: Date.now(), position: 0, played: 0, state: 'playing' }
  }
}

/**
 * Ends the current play.
 *
 * @param isLeaving whether the page is closing, so that the play ends immediately
 */
function end (isLeaving = false): void {
  if (run === undefined) return
  const [ending, element, account] = [run, audio(), owner]
  run = undefined
  if (isLeaving || element.paused) return note(ending, { state: 'stopped' }, isLeaving)
  // The track is audible until it pauses, also while it fades into the next one.
  element.addEventListener('pause', () => {
    if (account !== owner) return
    sumUp(ending, element)
    note(ending, { state: 'stopped' })
  }, { once: true })
}

/** Listens to events of the playing element, which has the current entry. */
function onCurrent (event: string, listener: (element: HTMLAudioElement) => void): void {
  onAudio(event, element => { if (given.value !== undefined && isOwn(source.value)) listener(element) })
}

const onRun = (event: string, listener: (run: Run, element: HTMLAudioElement) => void): void =>
  onCurrent(event, element => { if (run !== undefined) listener(run, element) })

/** Starts reporting plays. */
export function startReportingPlays (): void {
  effect(() => {
    const isOpen = session.value === 'open' && isOwn(source.value)
    const next = nameOf('plays', source.value)
    if (!isOpen) return
    if (next !== name) {
      run = undefined
      owner = source.value
      name = next
      waiting = new Map(kept().map(play => [play.id, play]))
    }
    tellAll()
  })
  effect(() => { if (current.value?.key !== key) end() })
  onCurrent('playing', element => {
    run ??= begin(current.value!.track, element)
    sumUp(run, element)
    note(run, { state: 'playing' })
  })
  onRun('timeupdate', sumUp)
  for (const event of ['seeking', 'emptied', 'waiting']) onRun(event, run => { run.before = undefined })
  onRun('seeked', (run, element) => {
    sumUp(run, element)
    note(run, { position: element.currentTime * 1000 })
  })
  onRun('pause', (run, element) => {
    sumUp(run, element)
    if (!element.ended) note(run, { state: 'paused' })
  })
  onRun('ended', (run, element) => {
    sumUp(run, element)
    end()
  })
  addEventListener('pagehide', () => {
    if (playing.value && run !== undefined) sumUp(run, audio())
    end(true)
  })
}
