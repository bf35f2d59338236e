import { effect, signal } from '@preact/signals'
import { audio } from './audio.ts'
import { playing } from './player-state.ts'
import { keep, recall } from './storage.ts'

// Cross-fade and sleep timer.

/** The maximum cross-fade in seconds. */
export const longestCrossfade = 12

/** The cross-fade in seconds; 0 = gapless. */
export const crossfade = signal(Math.min(longestCrossfade, Math.max(0, Number(recall('crossfade', 0)) || 0)))
effect(() => keep('crossfade', crossfade.value))

/** When the music pauses: a time in milliseconds, or the end of the track. A reload clears it. */
export const sleep = signal<number | 'track' | undefined>(undefined)

let timer: ReturnType<typeof setTimeout> | undefined

/** Starts the sleep timer. @param when minutes until the music pauses, or the end of the track */
export function sleepAfter (when: number | 'track' | undefined): void {
  clearTimeout(timer)
  sleep.value = typeof when === 'number' ? Date.now() + when * 60_000 : when
  if (typeof when === 'number') timer = setTimeout(fallAsleep, when * 60_000)
}

export function fallAsleep (): void {
  sleepAfter(undefined)
  playing.value = false
  audio().pause()
}
