import { effect } from '@preact/signals'
import { muted, playing, volume } from './player-state.ts'
import { keep } from './storage.ts'

/** The element that is heard, and the one that loads the next track. They change places when the next track begins. */
let pair: readonly [HTMLAudioElement, HTMLAudioElement] = [new Audio(), new Audio()]

export const audio = () => pair[0]
export const spare = () => pair[1]
export const swap = () => { pair = [pair[1], pair[0]] }

/** Listens to events of whichever element is heard. */
export function onAudio (name: string, listener: (audio: HTMLAudioElement) => void): void {
  for (const element of pair) element.addEventListener(name, () => { if (element === audio()) listener(element) })
}

/** Listens to events of whichever element loads the next track. */
export function onSpare (name: string, listener: () => void): void {
  for (const element of pair) element.addEventListener(name, () => { if (element === spare()) listener() })
}

effect(() => {
  for (const element of pair) {
    element.volume = volume.value
    element.muted = muted.value
  }
  keep('volume', volume.value)
})

const channel = new BroadcastChannel('source-page:sound')
// One tab is heard at a time: the one that begins pauses the others. Each keeps its own queue.
channel.addEventListener('message', () => {
  playing.value = false
  audio().pause()
})
effect(() => { if (playing.value) channel.postMessage('begins') })
