import { effect } from '@preact/signals'
import { audio } from './audio.ts'
import { playing } from './player-state.ts'

/** One tab is heard at a time: the one that begins pauses the others. Each keeps its own queue. */
export function startSharingSound (): void {
  const channel = new BroadcastChannel('source-page:sound')
  channel.addEventListener('message', () => {
    playing.value = false
    audio().pause()
  })
  effect(() => { if (playing.value) channel.postMessage('begins') })
}
