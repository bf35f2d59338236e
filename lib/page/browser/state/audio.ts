import { effect } from '@preact/signals'
import type { Chain } from './chain.ts'
import { muted, playing, volume } from './player-state.ts'
import { gainOf } from './replay-gain.ts'
import { keep } from './storage.ts'

/** The element that is heard, and the one that loads the next track. They change places when the next track begins. */
let pair: readonly [HTMLAudioElement, HTMLAudioElement] = [new Audio(), new Audio()]
/** The part of the volume that an element has while one track fades into the next. */
let parts = new WeakMap<HTMLAudioElement, number>()
/** Ids of the tracks that elements have. */
let tracks = new WeakMap<HTMLAudioElement, string>()
/** What the elements play through; `undefined` = they play by themselves. */
let chain: Chain | undefined
const listeners: (readonly [name: string, listener: (element: HTMLAudioElement) => void])[] = []

export const audio = () => pair[0]
export const spare = () => pair[1]
export const swap = () => { pair = [pair[1], pair[0]] }

function listen (name: string, listener: (element: HTMLAudioElement) => void): void {
  listeners.push([name, listener])
  for (const element of pair) element.addEventListener(name, () => listener(element))
}

/** Listens to events of whichever element is heard. */
export const onAudio = (name: string, listener: (audio: HTMLAudioElement) => void): void =>
  listen(name, element => { if (element === audio()) listener(element) })

/** Listens to events of whichever element loads the next track. */
export const onSpare = (name: string, listener: () => void): void =>
  listen(name, element => { if (element === spare()) listener() })

function setVolume (): void {
  for (const element of pair) {
    const gain = gainOf(tracks.get(element))
    // An element by itself cannot be louder than it is.
    element.volume = volume.value * (parts.get(element) ?? 1) * Math.min(1, gain)
    chain?.boost(element, Math.max(1, gain))
    element.muted = muted.value
  }
}

/** Loads a track. */
export function give (element: HTMLAudioElement, id: string, url: string): void {
  tracks.set(element, id)
  setVolume()
  element.src = url
}

/** @param part 0 to 1 */
export function setPart (element: HTMLAudioElement, part: number): void {
  parts.set(element, part)
  setVolume()
}

effect(setVolume)
effect(() => keep('volume', volume.value))

/** That it is made, once. */
let opening: Promise<void> | undefined

export const chained = () => chain

/**
 * Puts the elements, which are paused, into a chain if the browser has all of it and lets it run. They play by
 * themselves otherwise.
 *
 * @param onFail called when the chain does not run any more
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

/** A chain may be opened again. */
export function allowChain (): void {
  opening = undefined
}

/** Goes on with elements that play by themselves: one that was in a chain does not get out of it. */
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
// One tab is heard at a time: the one that begins pauses the others. Each keeps its own queue.
channel.addEventListener('message', () => {
  playing.value = false
  audio().pause()
})
effect(() => { if (playing.value) channel.postMessage('begins') })
