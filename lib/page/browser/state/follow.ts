import { effect } from '@preact/signals'
import { audio, chained, setPart, spare } from './audio.ts'
import { playing } from './player-state.ts'
import { preparedFor } from './prepare.ts'
import { entries, following, repeat } from './queue.ts'
import { crossfade, sleep } from './sound.ts'

// Transitions between tracks: gapless, or a cross-fade.

/** Seconds before the end at which the next track begins to play. The chain holds it until the end. */
const ahead = 0.25
/** The lead in seconds without a chain: about the start-up time of an element. */
const aheadAlone = 0.06
/** The timeout in seconds for a track that began early to become the current one. */
const timeout = 0.5
/** The interval in milliseconds between two volume changes of a cross-fade. */
const step = 40

let timer: ReturnType<typeof setTimeout> | undefined
let fading: ReturnType<typeof setInterval> | undefined
/** The end of the playing track, in milliseconds of the clock of `performance`. */
let endsAt = 0

/** Stops the spare element, which plays the beginning of the next track or the end of the previous one. */
export function quieten (): void {
  clearTimeout(timer)
  if (!spare().paused) {
    spare().pause()
    // The next track then starts from the beginning; the position of the previous track is still needed.
    if (fading === undefined) spare().currentTime = 0
  }
  if (fading === undefined) return
  clearInterval(fading)
  fading = undefined
  setPart(audio(), 1)
  setPart(spare(), 1)
}

effect(() => { if (!playing.value) quieten() })

/** Returns whether the next track is loaded and will follow automatically. */
function isNextReady (): boolean {
  const next = entries.value[following()]
  return next !== undefined && repeat.value !== 'one' && sleep.value !== 'track' && preparedFor(next) !== undefined &&
    spare().readyState >= 3 && spare().paused && playing.value
}

/**
 * Called while an element plays.
 *
 * @param goOver starts the next track while this one plays on
 */
export function comeNear (element: HTMLAudioElement, goOver: () => void): void {
  const left = (element.duration - element.currentTime) / element.playbackRate
  endsAt = performance.now() + left * 1000
  if (!spare().paused || !(left < Math.max(crossfade.value, 2)) || !isNextReady()) return
  const overlap = Math.min(crossfade.value, element.duration / 2, spare().duration / 2)
  if (crossfade.value > 0) {
    if (left <= overlap) goOver()
    return
  }
  clearTimeout(timer)
  timer = setTimeout(() => begin(element), (untilEnd(element) - (chained() === undefined ? aheadAlone : ahead)) * 1000)
}

/** Returns the seconds until the audible end of an element. */
const untilEnd = (element: HTMLAudioElement) =>
  (element.duration - element.currentTime) / element.playbackRate + (chained()?.lagOf(element) ?? 0)

/** Starts the next track in time for the end of this one. */
function begin (element: HTMLAudioElement): void {
  if (element !== audio() || element.paused || !isNextReady()) return
  chained()?.hold(spare(), untilEnd(element))
  spare().play().catch(quieten)
  // The end may be later than reported.
  timer = setTimeout(quieten, timeout * 1000)
}

/**
 * Called when the next track becomes current. If the previous element has already ended, as it may because of the
 * audible delay, the next track waits for the rest of the sound. A track that the listener skipped is cut off.
 */
export function takeOver (): void {
  const [going, coming, chain] = [audio(), spare(), chained()]
  if (!going.ended) {
    going.pause()
    chain?.drop(going)
  } else if (coming.paused) {
    chain?.hold(coming, chain.lagOf(going) - Math.max(0, performance.now() - endsAt) / 1000)
  }
}

/** Returns whether the previous track has ended, so that its element is free. */
export const isFree = ({ currentTime, duration }: HTMLAudioElement): boolean =>
  spare().paused && currentTime > Math.min(1, duration / 2)

/** Fades from the spare element with the previous track to the playing element. */
export function fadeOver (): void {
  const [coming, going] = [audio(), spare()]
  const seconds = Math.min(crossfade.value, going.duration - going.currentTime)
  const fade = () => {
    const part = Math.min(1, coming.currentTime / seconds)
    if (part === 1 || going.paused) return quieten()
    // Together they are as loud as either.
    setPart(coming, Math.sin(part * Math.PI / 2))
    setPart(going, Math.cos(part * Math.PI / 2))
  }
  fading = setInterval(fade, step)
  fade()
}
