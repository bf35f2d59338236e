import { effect } from '@preact/signals'
import { pageUrl } from './configuration.ts'
import { coverOf, latestUrl, renewCover, sized } from './covers.ts'
import { next, previous, seek, toggle } from './player.ts'
import { duration, playing, position } from './player-state.ts'
import { current } from './queue.ts'
import { session as sourceSession } from './sources.ts'

/** Pixels of a picture on a lock screen. */
const pixels = 512

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
    const cover = track === undefined ? '' : latestUrl(track.album.coverUrl)
    const show = (artwork: readonly string[]) => {
      session.metadata = track === undefined
        ? null
        : new MediaMetadata({
          title: track.title,
          artist: track.artists.map(({ name }) => name).join(', '),
          album: track.album.name,
          artwork: artwork.map(src => ({ src }))
        })
    }
    show([])
    if (track === undefined || !isAddress(cover)) return
    // Browsers say nothing of a picture that does not load there.
    const picture = new Image()
    const scaled = sized(cover, pixels)
    const load = (src: string) => {
      picture.onload = () => show([src])
      picture.onerror = () => {
        if (src === cover) renewCover(cover, coverOf(track))
        else load(cover)
      }
      picture.src = src
    }
    picture.referrerPolicy = 'no-referrer'
    load(scaled === undefined ? cover : new URL(scaled, pageUrl).href)
    return () => { picture.onload = picture.onerror = null }
  })
  effect(() => { session.playbackState = current.value === undefined ? 'none' : playing.value ? 'playing' : 'paused' })
  effect(() => {
    if (duration.value > 0 && position.value <= duration.value) {
      session.setPositionState({ duration: duration.value, position: position.value })
    }
  })
}
