import { effect } from '@preact/signals'
import type { Chain } from './chain.ts'
import { muted, playing, volume } from './player-state.ts'
import { gainOf } from './replay-gain.ts'
import { keep } from './storage.ts'

/** The element that plays, and the element that loads the next track. They swap roles when the next track begins. */
let pair: readonly [HTMLAudioElement, HTMLAudioElement] = [new Audio(), new Audio()]
/** The volume factor of each element during a cross-fade. */
let parts = new WeakMap<HTMLAudioElement, number>()
/** The track ids of the elements. */
let tracks = new WeakMap<HTMLAudioElement, string>()
/** The audio chain of the elements; `undefined` = they play directly. */
let chain: Chain | undefined
const listeners: (readonly [name: string, listener: (element: HTMLAudioElement) => void])[] = []

export const audio = () => pair[0]
export const spare = () => pair[1]
export const swap = () => { pair = [pair[1], pair[0]] }

function listen (name: string, listener: (element: HTMLAudioElement) => void): void {
  listeners.push([name, listener])
  for (const element of pair) element.addEventListener(name, () => listener(element))
}

/** Listens to events of the playing element. */
export const onAudio = (name: string, listener: (audio: HTMLAudioElement) => void): void =>
  listen(name, element => { if (element === audio()) listener(element) })

/** Listens to events of the element that loads the next track. */
export const onSpare = (name: string, listener: () => void): void =>
  listen(name, element => { if (element === spare()) listener() })

function setVolume (): void {
  for (const element of pair) {
    const gain = gainOf(tracks.get(element))
    // An element alone cannot amplify.
    element.volume = volume.value * (parts.get(element) ?? 1) * Math.min(1, gain)
    chain?.boost(element, Math.max(1, gain))
    element.muted = muted.value
  }
}

/** Loads a track into an element. */
export function give (element: HTMLAudioElement, id: string, url: string): void {
  tracks.set(element, id)
  setVolume()
  element.src = url
}

/** @param part the volume factor, 0 to 1 */
export function setPart (element: HTMLAudioElement, part: number): void {
  parts.set(element, part)
  setVolume()
}

effect(setVolume)
effect(() => keep('volume', volume.value))

/** The pending or finished creation of the chain. */
let opening: Promise<void> | undefined

export const chained = () => chain

/**
 * Connects the paused elements to a chain if the browser supports it and allows it to run. Otherwise they play
 * directly.
 *
 * @param onFail called when the chain stops running
 */
export async function openChain (onFail: () => void): Promise<void> {
  opening ??= import('./chain.ts').then(({ buildChain }) => buildChain(pair, onFail)).then(
    built => {
      chain = built
      if (built === undefined) opening = undefined
      setVolume()
    },
    () => { /* Music is heard without it. */ }
  )
  await opening
}

/** Allows the chain to be opened again. */
export function allowChain (): void {
  opening = undefined
}

/** Replaces the elements with elements that play directly, since an element cannot be disconnected from a chain. */
export function leaveChain (): void {
  chain?.close()
  chain = undefined
  for (const element of pair) element.pause()
  pair = [new Audio(), new Audio()]
  parts = new WeakMap()
  tracks = new WeakMap()
  for (const [name, listener] of listeners) {
    for (const element of pair) element.addEventListener(name, () => listener(element))
  }
  setVolume()
}

const channel = new BroadcastChannel('source-page:sound')
// Only one tab plays at a time: when a tab begins to play, it pauses the others. Each tab has a separate queue.
channel.addEventListener('message', () => {
  playing.value = false
  audio().pause()
})
effect(() => { if (playing.value) channel.postMessage('begins') })
