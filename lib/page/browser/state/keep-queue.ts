import { effect } from '@preact/signals'
import { audio } from './audio.ts'
import { stop } from './playback.ts'
import { duration, playing, position } from './player-state.ts'
import { current, entries, index, keepQueue, recallQueue } from './queue.ts'
import { session, source } from './sources.ts'

/** Seconds of music after which the position is written. */
const every = 5

/** Keeps the queue and the position over a reload. Each source has a queue of its own. */
export function startKeepingQueue (): void {
  let queueOf = ''
  effect(() => {
    const { url } = source.value
    // Without a source that is open there is nothing to stop the music with.
    if (session.value !== 'open' || url !== queueOf) {
      playing.value = false
      audio().pause()
    }
    if (session.value !== 'open' || url === queueOf) return
    queueOf = url
    stop()
    const from = recallQueue()
    position.value = from
    duration.value = (current.peek()?.track.durationMs ?? 0) / 1000
  })

  let kept: { position: number, entries: unknown, index: number } | undefined
  effect(() => {
    const now = { position: position.value, entries: entries.value, index: index.value }
    const isSame = kept?.entries === now.entries && kept.index === now.index
    if (isSame && Math.abs(now.position - kept!.position) < every) return
    kept = now
    keepQueue(now.position)
  })
  addEventListener('pagehide', () => keepQueue(position.value))
}
