import { effect } from '@preact/signals'
import { pageUrl } from './configuration.ts'
import { coverOf, latestUrl, renewCover, sized } from './covers.ts'
import { next, previous, seek, toggle } from './player.ts'
import { duration, playing, position } from './player-state.ts'
import { current } from './queue.ts'
import { session as sourceSession } from './session.ts'

/** The size of a picture on a lock screen in pixels. */
const pixels = 512

/** Returns whether a URL is valid. Browsers throw for pictures with invalid URLs. */
const isAddress = (url: string) => /^https?:/i.test(url) && URL.canParse(url)

/** Reports the playing track to keyboard keys, headphones and the lock screen, and handles their commands. */
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
      // Behind the sign-in form the effect would be invisible.
      session.setActionHandler(name as MediaSessionAction, details => {
        if (sourceSession.value === 'open') handler(details)
      })
    } catch {
      // A browser that does not support the action throws.
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
    // Browsers do not report pictures that fail to load there.
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
