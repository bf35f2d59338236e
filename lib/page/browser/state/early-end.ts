/** The tolerance in seconds of an early end. */
const tolerance = 5

/** The position in seconds, and the time in milliseconds, of the last start or seek. */
let since = { position: 0, time: 0 }
/** The last position during playback, in seconds. */
let heardTo = 0
/** The duration in seconds that the current audio reported at its beginning. */
let promised = 0

/** Records a start or a seek. */
export function begin ({ currentTime }: HTMLAudioElement): void {
  since = { position: currentTime, time: performance.now() }
  heardTo = currentTime
}

/**
 * Records the reported duration.
 *
 * @param seconds 0 = new audio. Some browsers correct the duration when they reach an early end
 */
export function promise (seconds: number): void {
  promised = seconds === 0 ? 0 : Math.max(promised, seconds)
}

/** Records the position during playback. Returns whether at least a second was played. */
export function isHeard ({ currentTime, paused, ended }: HTMLAudioElement): boolean {
  if (paused || ended) return false
  heardTo = currentTime
  return currentTime > since.position + 1
}

/**
 * Returns the last played position in seconds since the start or seek; `undefined` if less than a second was played.
 */
export const heardUpTo = (): number | undefined => heardTo > since.position + 1 ? heardTo : undefined

/**
 * Returns the position in seconds at which the audio ended, if that is too early for its duration: the file is
 * incomplete, or the rest cannot be decoded. Browsers skip to the end in both cases.
 */
export function earlyEnd (): number | undefined {
  const left = promised - since.position
  const heard = (performance.now() - since.time) / 1000
  return left - heard > tolerance && heard < left / 2 ? heardUpTo() ?? since.position : undefined
}
