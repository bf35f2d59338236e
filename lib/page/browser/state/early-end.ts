/** Seconds that an end may come too early. */
const tolerance = 5

/** Where and when the element that is heard began to play, or was sought to: seconds, and milliseconds. */
let since = { position: 0, time: 0 }
/** Seconds that the current audio lasts, as it said at its beginning. */
let promised = 0

/** It begins to play, or was sought to another place. */
export function begin ({ currentTime }: HTMLAudioElement): void {
  since = { position: currentTime, time: performance.now() }
}

/** @param seconds 0 = another audio. Some browsers correct it when they come to an end that is too early. */
export function promise (seconds: number): void {
  promised = seconds === 0 ? 0 : Math.max(promised, seconds)
}

/** Whether some of it was heard, a second at least. */
export const isHeard = ({ currentTime, paused, ended }: HTMLAudioElement) =>
  !paused && !ended && currentTime > since.position + 1

/**
 * Seconds from which on it was not heard, when the audio ended too early to have been: what came there could not be
 * decoded, and the browser went to the end at once.
 */
export function earlyEnd (): number | undefined {
  const left = promised - since.position
  const heard = (performance.now() - since.time) / 1000
  return left - heard > tolerance && heard < left / 2 ? since.position : undefined
}
