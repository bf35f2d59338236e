import type { Track } from '../../../client/index.ts'
import { text, type TextName } from '../texts/index.ts'
import { audio } from './audio.ts'
import { explain } from './explain.ts'
import { say } from './notices.ts'
import { forgive, goOn, isGiven, load, seekIn, start, step } from './playback.ts'
import { duration, playing, position, wanted } from './player-state.ts'
import { forgetPrepared } from './prepare.ts'
import { append, current, entries, fill, index, playNext, remove, shuffled, toggleShuffle } from './queue.ts'
import type { More } from './more.ts'
import { source } from './saved-sources.ts'
import { can, session } from './session.ts'
import { keep } from './storage.ts'

// The player's commands.

/** The number of times that the listener chose music. */
let choices = 0

/** Returns the current position. The signal `position` changes only four times a second. */
export const now = () => isGiven() ? audio().currentTime : position.value

/** Plays a list from an index. */
export function playList (tracks: readonly Track[], at = 0, more?: More): void {
  if (tracks[at] === undefined) return
  if (!can('songUrl') && !can('streaming')) return say(text('noStreaming'), true)
  fill(tracks, at, more)
  forgetPrepared()
  jumpTo(index.value)
}

/** Loads tracks and plays them shuffled; the queue stores the shuffled order. */
export const playMixed = (get: () => Promise<readonly Track[]>, more?: More): Promise<void> =>
  playWhenThere(get, 'nothingHere', more, true)

/**
 * Loads tracks and plays them, unless the listener chooses other music meanwhile.
 *
 * @param none the message for an empty list
 */
export async function playWhenThere (
  get: () => Promise<readonly Track[]>, none: TextName, more?: More, isMixed = false
): Promise<void> {
  const choice = ++choices
  const asked = source.value
  const isWanted = () => choice === choices && asked === source.value
  try {
    const tracks = await get()
    if (!isWanted()) return
    if (tracks.length === 0) return say(text(none))
    if (isMixed && !shuffled.value) toggleShuffle()
    playList(tracks, isMixed ? Math.floor(Math.random() * tracks.length) : 0, more)
  } catch (error) {
    if (isWanted()) say(explain(error), true)
  }
}

/** Adds tracks after the current one, or at the end. In an empty queue the first becomes current, without playing. */
export async function enqueueWhenThere (get: () => Promise<readonly Track[]>, isNext: boolean): Promise<void> {
  const asked = source.value
  try {
    const tracks = await get()
    if (asked !== source.value) return
    const [first] = tracks
    if (first === undefined) return say(text('nothingHere'))
    const isFirst = current.value === undefined
    if (isNext) playNext(tracks)
    else append(tracks)
    if (isFirst) step(0)
    const { length: count } = tracks
    say(count === 1
      ? text(isNext ? 'queuedNext' : 'queued', { title: first.title })
      : text(isNext ? 'queuedNextMany' : 'queuedMany', { count }))
  } catch (error) {
    say(explain(error), true)
  }
}

/** Plays an entry of the queue. */
export function jumpTo (at: number): void {
  choices++
  forgive()
  playing.value = true
  step(at)
}

export function toggle (): void {
  // Keys must not start music while the page shows no control to stop it.
  if (current.value === undefined || session.value !== 'open') return
  playing.value = !playing.value
  if (!playing.value) return audio().pause()
  forgive()
  if (!isGiven() || audio().error !== null) load(position.value)
  else start()
}

export function next (): void {
  forgive()
  goOn()
}

/** Plays the previous track, or the current one from its beginning if a part of it was played. */
export function previous (): void {
  forgive()
  if (now() > 4 || index.value <= 0) seek(0)
  else step(index.value - 1)
}

/** @param seconds from the beginning */
export function seek (seconds: number): void {
  if (current.value === undefined) return
  const to = Math.min(Math.max(0, seconds), duration.value || Infinity)
  position.value = to
  forgive()
  if (!isGiven()) return
  seekIn(to)
  const element = audio()
  // Playback had stopped at the end, waiting for more tracks.
  if (playing.value && element.paused && !element.ended) start()
}

/** Continues in another quality at the current position. */
export function setQuality (key: string): void {
  wanted.value = key
  keep('quality', key)
  forgetPrepared()
  if (current.value !== undefined) load(position.value)
}

/** Removes entries from the queue, identified by their track objects. */
export function takeOut (tracks: readonly Track[]): void {
  const key = current.value?.key
  remove(new Set(tracks))
  if (current.value?.key !== key) step(Math.min(index.value, entries.value.length - 1))
}
