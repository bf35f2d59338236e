import { batch, effect } from '@preact/signals'
import type { Track, TrackUrl } from '../../../client/index.ts'
import { NotFoundError, TimeoutError, UnauthorizedError } from '../../../contract/errors.ts'
import { clock, text } from '../texts/index.ts'
import { allowChain, audio, chained, give, leaveChain, onAudio, openChain, swap } from './audio.ts'
import { begin, earlyEnd, heardUpTo, isHeard, promise } from './early-end.ts'
import { cut, explain } from './explain.ts'
import { comeNear, fadeOver, isFree, quieten, takeOver } from './follow.ts'
import { markMissing, refusalOf } from './missing-tracks.ts'
import { addHeard } from './heard.ts'
import { say, unsay } from './notices.ts'
import { duration, given, loading, playing, position } from './player-state.ts'
import { current, entries, extend, following, index, repeat, type Entry } from './queue.ts'
import { forgetPrepared, otherQuality, prepare, prepareBefore, preparedFor, stopPreparing, urlOf } from './prepare.ts'
import { crossfade, fallAsleep, sleep } from './sound.ts'
import { isPassing, tryLater } from './try-later.ts'

// Playback of the queue: from the URL of a track to its end, or to a message about why it cannot be played.

/** The number of consecutive failed tracks after which the player stops. */
const maxFailures = 3

/** Aborts requests for an earlier track. */
let asked = new AbortController()
/** Keys of consecutive entries that failed, and the notices about them. */
let failed: readonly string[] = []
let said: readonly string[] = []
/** Titles of consecutive missing tracks by entry key. */
const leftOut = new Map<string, string>()
/** The number of retries of the current URL. */
let waits = 0
/** The position in seconds at which the URL was last renewed. A second failure there is not an expired URL. */
let renewedAt: number | undefined
/** Keys of qualities of the current track that could not be played. */
const unplayable = new Set<string | undefined>()
/** The quality requested as a replacement. */
let another: string | undefined
/** Ids of tracks that were reported as incomplete. */
const isKnownAsCut = new Set<string>()

/**
 * Returns whether Chromium cannot seek: in a stream with a duration but without ranges, such as an unfinished
 * transcoding.
 */
const isFixed = ({ duration, seekable }: HTMLMediaElement) =>
  Number.isFinite(duration) && seekable.length > 0 && seekable.end(seekable.length - 1) === 0

/** Seeks in the current track. If the stream is not seekable, loads the complete file. */
export function seekIn (seconds: number): void {
  if (seconds > 0 && isFixed(audio())) load(seconds, false, true)
  else audio().currentTime = seconds
}

/**
 * Loads the current entry of the queue, and plays it if the listener wants sound.
 *
 * @param from seconds
 * @param isFading whether the previous track plays on and fades out
 * @param isWhole whether the source sends a transcoding only when it is complete, with ranges
 */
export async function load (from = 0, isFading = false, isWhole = false): Promise<void> {
  asked.abort()
  asked = new AbortController()
  stopPreparing()
  const { signal } = asked
  const entry = current.value
  if (entry === undefined) return stop()
  const ready = from === 0 ? preparedFor(entry) : undefined
  if (ready !== undefined) return playPrepared(ready, isFading)
  quieten()
  show(entry.track, undefined, from)
  loading.value = true
  audio().pause()
  // Browsers allow the chain to start during a click, which is now.
  const opening = playing.value ? openChain(playAlone) : undefined
  try {
    const answer = await urlOf(entry.track, signal, unplayable)
    await opening
    if (signal.aborted) return
    given.value = answer
    markMissing(entry.track.id, false)
    const { url } = answer
    give(audio(), entry.track.id, isWhole ? `${url}${url.includes('?') ? '&' : '?'}whole=true` : url)
    // The listener may have sought meanwhile.
    const to = position.value
    if (to > 0) audio().currentTime = to
    const onMetadata = () => { if (isFixed(audio())) load(to, false, true) }
    if (to > 0 && !isWhole) audio().addEventListener('loadedmetadata', onMetadata, { once: true, signal })
    if (playing.value) await start()
    if (!signal.aborted) loading.value = false
  } catch (error) {
    if (signal.aborted) return
    loading.value = false
    skip(entry, error)
  }
}

function playPrepared (answer: TrackUrl, isFading: boolean): void {
  if (!isFading) takeOver()
  swap()
  forgetPrepared()
  show(current.value!.track, answer, 0)
  noteDuration(audio())
  loading.value = false
  if (!playing.value) return
  // An element that began before the end of the previous track has sent the event already.
  if (!audio().paused) audio().dispatchEvent(new Event('playing'))
  start()
  if (isFading) fadeOver()
}

/** Continues playback without the chain. */
function playAlone (at = position.value): void {
  leaveChain()
  forgetPrepared()
  if (isGiven()) load(at)
}

function show (track: Track | undefined, answer: TrackUrl | undefined, from: number): void {
  promise(0)
  batch(() => {
    position.value = from
    duration.value = (track?.durationMs ?? 0) / 1000
    given.value = answer
  })
}

/** Returns whether the playing element has the current track. */
export const isGiven = () => given.value !== undefined

export async function start (): Promise<void> {
  begin(audio())
  try {
    await audio().play()
  } catch (error) {
    // Some browsers play only after a click. Decoding errors are reported by the event `error`.
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

/** Reports why a track cannot be played, and continues with the next one. */
function skip ({ key, track }: Entry, error: unknown): void {
  if (error instanceof UnauthorizedError) {
    playing.value = false
    return say(explain(error), true)
  }
  if (error instanceof NotFoundError) {
    leaveOut(key, track)
    return
  }
  // The error is not about this track: the next one would fail as well.
  if (isPassing(error) && !(error instanceof TimeoutError)) return wait(error)
  // The chain was not the cause.
  allowChain()
  if (failed.length === 0) said = []
  failed = [...failed, key]
  const why = explain(error)
  if (failed.length >= maxFailures) return giveUp(why)
  const next = following()
  const sentence = text('cannotPlay', { title: cut(track.title, 60), why })
  said = [...said, sentence]
  say(sentence, true)
  if (!playing.value || next === -1 || next === index.value) playing.value = false
  else step(next)
}

/** Skips a missing track, which does not count as a failure. Consecutive ones share one notice. */
async function leaveOut (key: string, track: Track): Promise<void> {
  const isFirst = leftOut.size === 0
  if (!isFirst) unsay(sayLeftOut())
  markMissing(track.id, true)
  leftOut.set(key, track.title)
  say(sayLeftOut(), true)
  if (playing.value && !await goOn()) playing.value = false
}

const sayLeftOut = () => {
  const [[, title = ''] = []] = leftOut
  return leftOut.size === 1 ? text('goneOne', { title: cut(title, 60) }) : text('goneMany', { count: leftOut.size })
}

/** Requests the current track again if a retry may help. The listener sees that it is pending, and why. */
function wait (error: unknown): void {
  if (waits === 0) say(explain(error), true)
  loading.value = playing.value
  const callOff = tryLater(error, waits++, () => load(position.value))
  asked.signal.addEventListener('abort', callOff, { once: true })
}

/**
 * Stops after consecutive failures, which are hardly caused by the tracks. The queue returns to the entry before them.
 */
function giveUp (why: string): void {
  for (const sentence of said) unsay(sentence)
  say(text('noneCanBePlayed', { count: failed.length, why }), true)
  const [first] = failed
  stop()
  index.value = Math.max(0, entries.value.findIndex(({ key }) => key === first))
  show(current.value?.track, undefined, 0)
  forgive()
}

/**
 * Requests the URL again, since it may have expired. If that was already done at this position, tries another quality,
 * and skips the track without one.
 */
function renew (at: number): void {
  const entry = current.value
  if (entry === undefined) return
  if (renewedAt !== undefined && at <= renewedAt + 1) {
    giveUpUrl(entry, at)
    return
  }
  renewedAt = at
  load(at)
}

/** Handles a new URL that failed as well: the source may report the reason. */
async function giveUpUrl (entry: Entry, at: number): Promise<void> {
  const { signal } = asked
  const refusal = await refusalOf(given.value!.url, signal)
  if (signal.aborted) return
  if (refusal !== undefined) return skip(entry, refusal)
  if (chained() !== undefined) return playAlone(at)
  // A source may have sent another quality than requested.
  unplayable.add(given.value!.quality).add(another)
  another = otherQuality(entry.track.qualities ?? [], unplayable)
  if (another === undefined) return skip(entry, new Error(text('errorMedia')))
  renewedAt = undefined
  load(at)
}

async function ended (): Promise<void> {
  const early = earlyEnd()
  if (early !== undefined && heardUpTo() === undefined) return renew(early)
  return atEnd(early)
}

/**
 * Handles the end of a track.
 *
 * @param early the position in seconds at which an incomplete file ended
 */
async function atEnd (early?: number): Promise<void> {
  if (early !== undefined) sayCut(early)
  if (sleep.value === 'track') fallAsleep()
  if (repeat.value === 'one') {
    renewedAt = undefined
    // An element with a decoding error plays no longer.
    if (audio().error !== null) return load()
    audio().currentTime = 0
    if (playing.value) start()
    return
  }
  if (!await goOn()) playing.value = false
}

/** Reports once that a file ends before its track does. */
function sayCut (seconds: number): void {
  const { id, title, durationMs } = current.value!.track
  if (isKnownAsCut.has(id) || durationMs / 1000 - seconds < 5) return
  isKnownAsCut.add(id)
  say(text('endsEarly', { title: cut(title, 60), at: clock(seconds), of: clock(durationMs / 1000) }), true)
}

/** Continues with the following track. Returns whether there is one. */
export async function goOn (): Promise<boolean> {
  const key = current.value?.key
  const wasEnded = audio().ended
  if (following() === -1) await extend()
  // The listener may have chosen another track meanwhile, or sought back in this one.
  if (current.value?.key !== key || audio().ended !== wasEnded) return true
  const at = following()
  if (at !== -1) step(at)
  return at !== -1
}

/** Plays the entry at an index. */
export function step (to: number, isFading = false): void {
  renewedAt = undefined
  forgetQualities()
  index.value = to
  load(0, isFading)
}

function forgetQualities (): void {
  unplayable.clear()
  another = undefined
}

/** Resets earlier failures after the listener has chosen a track. */
export function forgive (): void {
  failed = []
  leftOut.clear()
  waits = 0
  renewedAt = undefined
  forgetQualities()
}

function noteDuration (element: HTMLAudioElement): void {
  if (!Number.isFinite(element.duration)) return
  duration.value = element.duration
  promise(element.duration)
}

/** Listens to events of the current track. Until its URL is known, the element has the previous track or none. */
function onCurrent (name: string, listener: (element: HTMLAudioElement) => void): void {
  onAudio(name, element => { if (isGiven()) listener(element) })
}

onCurrent('timeupdate', element => {
  if (loading.value && element.readyState === 0) return
  position.value = element.currentTime
  if (isHeard(element)) {
    failed = []
    leftOut.clear()
    addHeard(current.value!.track)
  }
  const left = duration.value - element.currentTime
  if (left < prepareBefore + crossfade.value && isFree(element)) prepare(asked.signal)
  comeNear(element, () => step(following(), true))
})
onCurrent('durationchange', noteDuration)
onCurrent('waiting', () => { loading.value = true })
onCurrent('playing', () => {
  loading.value = false
  waits = 0
})
onCurrent('seeked', begin)
onCurrent('seeking', quieten)
onCurrent('canplay', () => { loading.value = false })
onCurrent('ended', () => { ended() })
onCurrent('error', element => {
  // Another origin may allow the page to play its audio, but not to process it.
  const isForeign = new URL(given.value!.url).origin !== location.origin
  if (isForeign && chained() !== undefined) playAlone()
  else if (element.error?.code === MediaError.MEDIA_ERR_DECODE && heardUpTo() !== undefined) atEnd(heardUpTo())
  else renew(position.value)
})
/** Milliseconds without data after which pending audio is requested again, since a connection can stall. */
const quiet = 10_000

effect(() => {
  if (!loading.value || !playing.value || given.value === undefined) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const again = () => {
    say(text('lineQuiet'), true)
    load(position.peek())
  }
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(again, quiet)
  }
  wait()
  audio().addEventListener('progress', wait)
  const element = audio()
  return () => {
    clearTimeout(timer)
    element.removeEventListener('progress', wait)
  }
})

// Unplugged headphones or another program may pause it.
onCurrent('pause', element => {
  if (element.paused && !element.ended && element.readyState > 0 && element.error === null) playing.value = false
})
