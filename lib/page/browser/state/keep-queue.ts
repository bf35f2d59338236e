import { effect, untracked } from '@preact/signals'
import { audio } from './audio.ts'
import { recallHeard } from './heard.ts'
import { isKept, keptSources } from './parked-accounts.ts'
import { stop } from './playback.ts'
import { duration, playing, position, volume } from './player-state.ts'
import { current, entries, index, keepQueue, nameOf, recallQueue } from './queue.ts'
import { source } from './saved-sources.ts'
import { session } from './session.ts'
import { forget, keep, recall } from './storage.ts'

/** Seconds of music between two writes of the position. */
const every = 5

const volumeName = () => untracked(() => nameOf('volume', source.value))

/** Stores the queue, the position and the played tracks across reloads, until the user signs out. */
export function startKeepingQueue (): void {
  let queueOf = ''
  const look = () => ({ position: position.value, entries: entries.value, index: index.value })
  let kept = look()
  effect(() => {
    const name = nameOf('queue', source.value)
    // Without an open source the page has no control to stop the music.
    if (session.value !== 'open' || name !== queueOf) {
      playing.value = false
      audio().pause()
    }
    if (session.value !== 'open' || name === queueOf) return
    queueOf = name
    // Each account has separate settings, and starts with the current volume.
    volume.value = recall(volumeName(), volume.peek())
    stop()
    recallHeard(nameOf('heard', source.value))
    const from = recallQueue()
    position.value = from
    duration.value = (current.peek()?.track.durationMs ?? 0) / 1000
    kept = untracked(look)
  })

  let known = untracked(keptSources)
  effect(() => {
    for (const kind of ['queue', 'shared', 'heard', 'plays', 'volume', 'sorts'] as const) {
      const all = keptSources()
      const names = new Set(all.map(source => nameOf(kind, source)))
      for (const before of known) {
        const name = nameOf(kind, before)
        if (names.has(name)) continue
        // The account of the token is known now.
        const now = all.find(({ url, token }) => url === before.url && token === before.token)
        const value = recall(name, undefined)
        if (now !== undefined && value !== undefined && before.account === undefined) {
          keep(nameOf(kind, now), recall(nameOf(kind, now), value))
        }
        forget(name)
      }
    }
    known = keptSources()
  })

  effect(() => {
    const now = volume.value
    if (untracked(() => session.value === 'open' && isKept())) keep(volumeName(), now)
  })

  /** @param least seconds of music */
  const keepChanged = (least: number) => {
    const now = look()
    const isSame = kept.entries === now.entries && kept.index === now.index
    if (isSame && Math.abs(now.position - kept.position) <= least) return
    kept = now
    keepQueue(now.position)
  }
  effect(() => keepChanged(every))
  // A tab without changes does not overwrite the data of other tabs.
  addEventListener('pagehide', () => keepChanged(0))
}
