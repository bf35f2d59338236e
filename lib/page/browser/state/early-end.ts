/** Seconds that an end may come too early. */
const tolerance = 5

/** Where and when the element that is heard began to play, or was sought to: seconds, and milliseconds. */
let since = { position: 0, time: 0 }
/** Where it was last while it played: seconds. */
let heardTo = 0
/** Seconds that the current audio lasts, as it said at its beginning. */
let promised = 0

/** It begins to play, or was sought to another place. */
export function begin ({ currentTime }: HTMLAudioElement): void {
  since = { position: currentTime, time: performance.now() }
  heardTo = currentTime
}

/** @param seconds 0 = another audio. Some browsers correct it when they come to an end that is too early. */
export function promise (seconds: number): void {
  promised = seconds === 0 ? 0 : Math.max(promised, seconds)
}

/** Notes how far it is while it plays. Returns whether some of it was heard, a second at least. */
export function isHeard ({ currentTime, paused, ended }: HTMLAudioElement): boolean {
  if (paused || ended) return false
  heardTo = currentTime
  return currentTime > since.position + 1
}

/** Seconds up to which it was heard since it began or was sought to; `undefined` where it was not, for a second. */
export const heardUpTo = (): number | undefined => heardTo > since.position + 1 ? heardTo : undefined

/**
 * Seconds at which the audio ended, when that is too early for what was promised: there is no more in the file, or what
 * comes there cannot be decoded. Browsers go to the end at once in both cases.
 */
export function earlyEnd (): number | undefined {
  const left = promised - since.position
  const heard = (performance.now() - since.time) / 1000
  return left - heard > tolerance && heard < left / 2 ? heardUpTo() ?? since.position : undefined
}
