import { effect } from '@preact/signals'
import { audio, chained, setPart, spare } from './audio.ts'
import { playing } from './player-state.ts'
import { preparedFor } from './prepare.ts'
import { entries, following, repeat } from './queue.ts'
import { crossfade, sleep } from './sound.ts'

// How one track goes over into the next: without a gap, or fading.

/** Seconds before the end at which the next one begins to play: it waits in the chain for the end. */
const ahead = 0.25
/** The same without a chain: about what an element needs until it is heard. */
const aheadAlone = 0.06
/** Seconds within which a track that began early has to become the current one. */
const timeout = 0.5
/** Milliseconds between two changes of the volume while one fades into the other. */
const step = 40

let timer: ReturnType<typeof setTimeout> | undefined
let fading: ReturnType<typeof setInterval> | undefined
/** When what plays ends, by the clock of `performance`: milliseconds. */
let endsAt = 0

/** Stops whatever the spare element plays: the beginning of the next track, or the end of the one before. */
export function quieten (): void {
  clearTimeout(timer)
  if (!spare().paused) {
    spare().pause()
    // The next track begins anew then; that of the track before tells where it was.
    if (fading === undefined) spare().currentTime = 0
  }
  if (fading === undefined) return
  clearInterval(fading)
  fading = undefined
  setPart(audio(), 1)
  setPart(spare(), 1)
}

effect(() => { if (!playing.value) quieten() })

/** Whether the next track is loaded and follows of itself. */
function isNextReady (): boolean {
  const next = entries.value[following()]
  return next !== undefined && repeat.value !== 'one' && sleep.value !== 'track' && preparedFor(next) !== undefined &&
    spare().readyState >= 3 && spare().paused && playing.value
}

/**
 * Called while an element plays.
 *
 * @param goOver goes to the next track while this one plays on
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

/** Seconds until the end of what an element plays is heard. */
const untilEnd = (element: HTMLAudioElement) =>
  (element.duration - element.currentTime) / element.playbackRate + (chained()?.lagOf(element) ?? 0)

/** Begins to play the next track for the end of this one. */
function begin (element: HTMLAudioElement): void {
  if (element !== audio() || element.paused || !isNextReady()) return
  chained()?.hold(spare(), untilEnd(element))
  spare().play().catch(quieten)
  // The end may be later than was said.
  timer = setTimeout(quieten, timeout * 1000)
}

/**
 * Called when the next track takes the place of what is heard. Where that has ended before its timer, as it may when it
 * is heard later than it plays, the next one waits for what is still to come; what the listener left is cut off.
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

/** Whether what was heard before has come to its end, so that its element is free. */
export const isFree = ({ currentTime, duration }: HTMLAudioElement): boolean =>
  spare().paused && currentTime > Math.min(1, duration / 2)

/** Fades from the spare element, which plays the track before, to the one that is heard. */
export function fadeOver (): void {
  const [coming, going] = [audio(), spare()]
  const seconds = Math.min(crossfade.value, going.duration - going.currentTime)
  const fade = () => {
    const part = Math.min(1, coming.currentTime / seconds)
    if (part === 1 || going.paused) return quieten()
    // Together they are as loud as each of them.
    setPart(coming, Math.sin(part * Math.PI / 2))
    setPart(going, Math.cos(part * Math.PI / 2))
  }
  fading = setInterval(fade, step)
  fade()
}
