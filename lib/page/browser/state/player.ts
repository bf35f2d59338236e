import { batch, effect, signal } from '@preact/signals'
import type { Track, TrackUrl } from '../../../client/index.ts'
import { RateLimitedError, UnauthorizedError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'
import { cut, explain } from './explain.ts'
import { say } from './notices.ts'
import { current, entries, extend, fill, following, index, keepQueue, recallQueue, repeat, type More } from './queue.ts'
import { ask, can, session, source, status } from './sources.ts'
import { keep, recall } from './storage.ts'

/** Seconds before the end at which the next track is loaded. */
const prepareBefore = 20
/** Tracks in a row that cannot be played before the player stops. */
const patience = 8

/** Whether the listener wants sound now. */
export const playing = signal(false)
export const loading = signal(false)
/** Seconds. */
export const position = signal(0)
export const duration = signal(0)
export const volume = signal(Math.min(1, Math.max(0, Number(recall('volume', 1)) || 0)))
export const muted = signal(false)
/** Key of the quality that the listener wants; empty = the source chooses. */
export const wanted = signal(recall('quality', ''))
/** What the source gave for the current track. */
export const given = signal<TrackUrl | undefined>(undefined)

let audio = new Audio()
/** Has the next track, when the end is near. */
let spare = new Audio()
let prepared: { key: number, given: TrackUrl } | undefined
let preparing: number | undefined
/** Ends whatever is still being loaded for an earlier track. */
let asked = new AbortController()
let failures = 0
/** Where the URL was asked for again last, in seconds: a second failure at the same place is not an expired URL. */
let renewedAt: number | undefined

/** The position as it is now; the signal `position` changes four times a second. */
export const now = () => audio.currentTime

async function urlOf ({ id, qualities = [] }: Track, signal: AbortSignal): Promise<TrackUrl> {
  const known = qualities.length === 0 || qualities.some(({ key }) => key === wanted.value) || status.value?.qualityMap.some(({ key }) => key === wanted.value)
  const answer = await ask(client => client.getTrackUrl(id, known && wanted.value !== '' ? wanted.value : undefined), signal)
  if (!/^https?:\/\//i.test(answer.url)) throw new Error(text('errorAnswer'))
  return answer
}

/** @param from seconds */
async function load (from = 0): Promise<void> {
  asked.abort()
  asked = new AbortController()
  const { signal } = asked
  const entry = current.value
  if (entry === undefined) return stop()
  if (prepared?.key === entry.key && from === 0) return useSpare(prepared.given)
  batch(() => {
    loading.value = true
    position.value = from
    duration.value = entry.track.durationMs / 1000
    given.value = undefined
  })
  audio.pause()
  try {
    const answer = await urlOf(entry.track, signal)
    if (signal.aborted) return
    given.value = answer
    audio.src = answer.url
    if (from > 0) audio.currentTime = from
    if (playing.value) await start()
  } catch (error) {
    if (!signal.aborted) refused(entry.track, error)
  } finally {
    if (!signal.aborted) loading.value = false
  }
}

function useSpare (answer: TrackUrl): void {
  audio.pause();
  [audio, spare] = [spare, audio]
  prepared = undefined
  batch(() => {
    position.value = 0
    duration.value = current.value!.track.durationMs / 1000
    given.value = answer
    loading.value = false
  })
  if (playing.value) start()
}

async function start (): Promise<void> {
  try {
    await audio.play()
  } catch (error) {
    // A browser that wants a click first; what cannot be played comes as an event besides.
    if (error instanceof DOMException && error.name === 'NotAllowedError') playing.value = false
  }
}

function stop (): void {
  playing.value = false
  loading.value = false
  audio.pause()
  audio.removeAttribute('src')
  batch(() => {
    position.value = 0
    duration.value = 0
    given.value = undefined
  })
}

function refused ({ title }: Track, error: unknown): void {
  const name = cut(title, 60)
  if (error instanceof UnauthorizedError || error instanceof RateLimitedError) {
    playing.value = false
    return say(explain(error), true)
  }
  say(text('cannotPlay', { title: name, why: explain(error) }), true)
  const next = following()
  if (!playing.value || ++failures >= Math.min(patience, entries.value.length) || next === -1 || next === index.value) {
    playing.value = false
    return
  }
  index.value = next
  load()
}

function broken (): void {
  const entry = current.value
  if (entry === undefined || !audio.hasAttribute('src')) return
  const at = position.value
  if (renewedAt === undefined || at > renewedAt + 1) {
    // Its URL may have expired.
    renewedAt = at
    load(at)
    return
  }
  refused(entry.track, new Error(text('errorMedia')))
}

async function prepare (): Promise<void> {
  extend()
  const next = repeat.value === 'one' ? -1 : following()
  const entry = entries.value[next]
  if (entry === undefined || next === index.value || prepared?.key === entry.key || preparing === entry.key) return
  preparing = entry.key
  try {
    const answer = await urlOf(entry.track, asked.signal)
    spare.preload = 'auto'
    spare.src = answer.url
    prepared = { key: entry.key, given: answer }
  } catch {
    // It is asked for again, and what is wrong with it is said, when it is its turn.
  } finally {
    preparing = undefined
  }
}

async function ended (): Promise<void> {
  if (repeat.value === 'one') {
    audio.currentTime = 0
    return start()
  }
  if (following() === -1) await extend()
  const next = following()
  if (next === -1) {
    playing.value = false
    return
  }
  step(next)
}

function step (to: number): void {
  renewedAt = undefined
  index.value = to
  load()
}

for (const element of [audio, spare]) {
  const on = (name: string, listener: () => void) => element.addEventListener(name, () => { if (element === audio) listener() })
  on('timeupdate', () => {
    if (loading.value && element.readyState === 0) return
    position.value = element.currentTime
    if (element.currentTime > 0 && !element.paused) failures = 0
    if (duration.value - element.currentTime < prepareBefore) prepare()
  })
  on('durationchange', () => { if (Number.isFinite(element.duration)) duration.value = element.duration })
  on('waiting', () => { loading.value = true })
  on('playing', () => { loading.value = false })
  on('canplay', () => { loading.value = false })
  on('ended', () => { ended() })
  on('error', broken)
  // Headphones that are unplugged, or another program, may stop it.
  on('pause', () => { if (!element.ended && !loading.value && element.readyState > 0 && element.error === null) playing.value = false })
  element.addEventListener('error', () => { if (element !== audio) prepared = undefined })
}

effect(() => {
  for (const element of [audio, spare]) {
    element.volume = volume.value
    element.muted = muted.value
  }
  keep('volume', volume.value)
})

/** Plays a list from an index on. */
export function playList (tracks: readonly Track[], at = 0, more?: More): void {
  if (tracks[at] === undefined) return
  if (!can('songUrl') && !can('streaming')) return say(text('noStreaming'), true)
  fill(tracks, at, more)
  failures = 0
  renewedAt = undefined
  prepared = undefined
  playing.value = true
  load()
}

export function jumpTo (at: number): void {
  failures = 0
  playing.value = true
  step(at)
}

export function toggle (): void {
  if (current.value === undefined) return
  playing.value = !playing.value
  if (!playing.value) return audio.pause()
  failures = 0
  if (audio.hasAttribute('src') && audio.error === null) start()
  else load(position.value)
}

export async function next (): Promise<void> {
  failures = 0
  if (following() === -1) await extend()
  const at = following()
  if (at !== -1) step(at)
}

/** The track before, or the beginning of this one when some of it was heard. */
export function previous (): void {
  failures = 0
  if (audio.currentTime > 4 || index.value <= 0) seek(0)
  else step(index.value - 1)
}

/** @param seconds from the beginning */
export function seek (seconds: number): void {
  const to = Math.min(Math.max(0, seconds), duration.value || Infinity)
  position.value = to
  renewedAt = undefined
  if (audio.hasAttribute('src')) audio.currentTime = to
}

/** Goes on in another quality where it is. */
export function chooseQuality (key: string): void {
  wanted.value = key
  keep('quality', key)
  prepared = undefined
  if (current.value !== undefined) load(position.value)
}

/** The current entry was taken out of the queue. */
export function currentRemoved (): void {
  if (index.value >= entries.value.length) index.value = entries.value.length - 1
  step(index.value)
}

// Each source has a queue of its own.
let queueOf = ''
effect(() => {
  if (session.value !== 'open' || source.value.url === queueOf) return
  queueOf = source.value.url
  stop()
  const from = recallQueue()
  position.value = from
  duration.value = (current.peek()?.track.durationMs ?? 0) / 1000
})

let keptAt = 0
let keptEntries: unknown
let keptIndex: number | undefined
effect(() => {
  const at = position.value
  const isSame = keptEntries === entries.value && keptIndex === index.value
  // What changes four times a second is written every five seconds.
  if (isSame && Math.abs(at - keptAt) < 5) return
  keptAt = at
  keptEntries = entries.value
  keptIndex = index.value
  keepQueue(at)
})
addEventListener('pagehide', () => keepQueue(position.value))
