import { effect } from '@preact/signals'
import { next, previous, seek, toggle } from './player.ts'
import { duration, playing, position } from './player-state.ts'
import { current } from './queue.ts'
import { session as sourceSession } from './sources.ts'

/** Browsers throw at a picture whose address cannot be read. */
const isAddress = (url: string) => /^https?:/i.test(url) && URL.canParse(url)

/** Tells the keys of the keyboard, headphones and the lock screen what is playing, and does what they ask. */
export function startMediaSession (): void {
  const session = navigator.mediaSession
  if (session === undefined) return
  const actions: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: () => { if (!playing.value) toggle() },
    pause: () => { if (playing.value) toggle() },
    previoustrack: previous,
    nexttrack: next,
    seekto: ({ seekTime }) => seek(seekTime ?? 0),
    seekbackward: ({ seekOffset }) => seek(position.value - (seekOffset ?? 10)),
    seekforward: ({ seekOffset }) => seek(position.value + (seekOffset ?? 10))
  }
  for (const [name, handler] of Object.entries(actions)) {
    try {
      // Behind the sign-in form nobody would see what a key moves.
      session.setActionHandler(name as MediaSessionAction, details => {
        if (sourceSession.value === 'open') handler(details)
      })
    } catch {
      // A browser that does not know the action throws.
    }
  }

  effect(() => {
    const track = current.value?.track
    session.metadata = track === undefined
      ? null
      : new MediaMetadata({
        title: track.title,
        artist: track.artists.map(({ name }) => name).join(', '),
        album: track.album.name,
        artwork: isAddress(track.album.coverUrl) ? [{ src: track.album.coverUrl }] : []
      })
  })
  effect(() => { session.playbackState = current.value === undefined ? 'none' : playing.value ? 'playing' : 'paused' })
  effect(() => {
    if (duration.value > 0 && position.value <= duration.value) {
      session.setPositionState({ duration: duration.value, position: position.value })
    }
  })
}
