import { effect } from '@preact/signals'
import { audio } from './audio.ts'
import { stop } from './playback.ts'
import { duration, playing, position } from './player-state.ts'
import { current, entries, index, keepQueue, nameOf, recallQueue } from './queue.ts'
import { session, source, sources } from './sources.ts'
import { forget } from './storage.ts'

/** Seconds of music after which the position is written. */
const every = 5

/** Keeps the queue and the position over a reload, until one signs out. */
export function startKeepingQueue (): void {
  let queueOf = ''
  effect(() => {
    const name = nameOf(source.value)
    // Without a source that is open there is nothing to stop the music with.
    if (session.value !== 'open' || name !== queueOf) {
      playing.value = false
      audio().pause()
    }
    if (session.value !== 'open' || name === queueOf) return
    queueOf = name
    stop()
    const from = recallQueue()
    position.value = from
    duration.value = (current.peek()?.track.durationMs ?? 0) / 1000
  })

  let known = sources.peek()
  effect(() => {
    const names = new Set(sources.value.map(nameOf))
    for (const before of known) if (!names.has(nameOf(before))) forget(nameOf(before))
    known = sources.value
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
