import { batch } from '@preact/signals'
import type { Track, TrackUrl } from '../../../client/index.ts'
import { RateLimitedError, UnauthorizedError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'
import { audio, onAudio, onSpare, spare, swap } from './audio.ts'
import { cut, explain, isUnconnected } from './explain.ts'
import { say } from './notices.ts'
import { duration, given, loading, playing, position, wanted } from './player-state.ts'
import { current, entries, extend, following, index, repeat } from './queue.ts'
import { ask, status } from './sources.ts'

// How the queue is played: from the URL of a track to its end, or to the sentence that says why it cannot be played.

/** Seconds before the end at which the next track is loaded. */
const prepareBefore = 20
/** Tracks in a row that cannot be played before the player stops. */
const maxFailures = 8

/** What the spare element has loaded. */
let prepared: { key: number, given: TrackUrl } | undefined
/** Key of the entry that is being prepared, or was. A source that refuses it is not asked again until its turn. */
let preparing: number | undefined
/** Key of the entry at whose end more tracks were asked for last: a source that fails is not asked at every moment. */
let extendedAt: number | undefined
/** Aborts what is still being asked for an earlier track. */
let asked = new AbortController()
let failures = 0
/** Seconds at which the URL was asked for again last. A second failure there is not an expired URL. */
let renewedAt: number | undefined

async function urlOf ({ id, qualities = [] }: Track, signal: AbortSignal): Promise<TrackUrl> {
  const isWanted = ({ key }: { key: string }) => key === wanted.value
  // Another source may have what the listener chose there.
  const known = qualities.some(isWanted) || status.value?.qualityMap.some(isWanted)
  const answer = await ask(
    client => client.getTrackUrl(id, known && wanted.value !== '' ? wanted.value : undefined), signal
  )
  if (!/^https?:\/\//i.test(answer.url)) throw new Error(text('errorAnswer'))
  return answer
}

/**
 * Loads the current entry of the queue, and plays it if the listener wants sound.
 *
 * @param from seconds
 */
export async function load (from = 0): Promise<void> {
  asked.abort()
  asked = new AbortController()
  preparing = undefined
  const { signal } = asked
  const entry = current.value
  if (entry === undefined) return stop()
  if (prepared?.key === entry.key && from === 0) return playPrepared(prepared.given)
  show(entry.track, undefined, from)
  loading.value = true
  audio().pause()
  try {
    const answer = await urlOf(entry.track, signal)
    if (signal.aborted) return
    given.value = answer
    audio().src = answer.url
    // The listener may have gone on or back since.
    if (position.value > 0) audio().currentTime = position.value
    if (playing.value) await start()
  } catch (error) {
    if (!signal.aborted) skip(entry.track, error)
  } finally {
    if (!signal.aborted) loading.value = false
  }
}

function playPrepared (answer: TrackUrl): void {
  audio().pause()
  swap()
  prepared = undefined
  show(current.value!.track, answer, 0)
  tellDuration(audio())
  loading.value = false
  if (playing.value) start()
}

function show (track: Track | undefined, answer: TrackUrl | undefined, from: number): void {
  batch(() => {
    position.value = from
    duration.value = (track?.durationMs ?? 0) / 1000
    given.value = answer
  })
}

/** Whether the element that is heard has the current track. */
export const isGiven = () => given.value !== undefined

export async function start (): Promise<void> {
  try {
    await audio().play()
  } catch (error) {
    // Some browsers play only after a click. What cannot be decoded is reported by the event `error`.
    if (error instanceof DOMException && error.name === 'NotAllowedError') playing.value = false
  }
}

export function stop (): void {
  asked.abort()
  playing.value = false
  loading.value = false
  audio().pause()
  audio().removeAttribute('src')
  show(undefined, undefined, 0)
}

/** Says why a track cannot be played, and goes on with the next one. */
function skip ({ title }: Track, error: unknown): void {
  // Not about this track: the next one would fail, too.
  if (error instanceof UnauthorizedError || error instanceof RateLimitedError || isUnconnected(error)) {
    playing.value = false
    return say(explain(error), true)
  }
  say(text('cannotPlay', { title: cut(title, 60), why: explain(error) }), true)
  const next = following()
  const isEnd = next === -1 || next === index.value
  if (!playing.value || ++failures >= Math.min(maxFailures, entries.value.length) || isEnd) {
    playing.value = false
    return
  }
  step(next)
}

/** Asks for the URL again, since it may have expired; skips the track if that was done here already. */
function renew (): void {
  const entry = current.value
  if (entry === undefined) return
  const at = position.value
  if (renewedAt !== undefined && at <= renewedAt + 1) return skip(entry.track, new Error(text('errorMedia')))
  renewedAt = at
  load(at)
}

/** Loads the next track while this one plays. */
async function prepare (): Promise<void> {
  const key = current.value?.key
  if (extendedAt !== key) extend()
  extendedAt = key
  const next = repeat.value === 'one' ? -1 : following()
  const entry = entries.value[next]
  if (entry === undefined || next === index.value || prepared?.key === entry.key || preparing === entry.key) return
  preparing = entry.key
  try {
    const answer = await urlOf(entry.track, asked.signal)
    if (preparing !== entry.key) return
    spare().preload = 'auto'
    spare().src = answer.url
    prepared = { key: entry.key, given: answer }
  } catch {
    // When it is its turn, it is asked for again, and the error is shown.
  }
}

export function forgetPrepared (): void {
  prepared = undefined
}

async function ended (): Promise<void> {
  if (repeat.value === 'one') {
    renewedAt = undefined
    audio().currentTime = 0
    return start()
  }
  if (!await goOn()) playing.value = false
}

/** Goes to the track that follows. Returns whether there is one. */
export async function goOn (): Promise<boolean> {
  const key = current.value?.key
  if (following() === -1) await extend()
  // The listener may have chosen another one since.
  if (current.value?.key !== key) return true
  const at = following()
  if (at !== -1) step(at)
  return at !== -1
}

/** Plays the entry at an index. */
export function step (to: number): void {
  renewedAt = undefined
  index.value = to
  load()
}

/** What failed before does not count any more: the listener chose something. */
export function forgive (): void {
  failures = 0
  renewedAt = undefined
}

function tellDuration (element: HTMLAudioElement): void {
  if (Number.isFinite(element.duration)) duration.value = element.duration
}

/** Listens to events about the current track. Until its URL is known, the element has the track before, or nothing. */
function onCurrent (name: string, listener: (element: HTMLAudioElement) => void): void {
  onAudio(name, element => { if (isGiven()) listener(element) })
}

onCurrent('timeupdate', element => {
  if (loading.value && element.readyState === 0) return
  position.value = element.currentTime
  if (element.currentTime > 0 && !element.paused) failures = 0
  if (duration.value - element.currentTime < prepareBefore) prepare()
})
onCurrent('durationchange', tellDuration)
onCurrent('waiting', () => { loading.value = true })
onCurrent('playing', () => { loading.value = false })
onCurrent('canplay', () => { loading.value = false })
onCurrent('ended', () => { ended() })
onCurrent('error', renew)
// Headphones that are unplugged, or another program, may pause it.
onCurrent('pause', element => {
  if (element.paused && !element.ended && element.readyState > 0 && element.error === null) playing.value = false
})
onSpare('error', forgetPrepared)
