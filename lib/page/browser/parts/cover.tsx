import { useState } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { coverOf, latestUrl, renewCover, sized, type CoverOf } from '../state/covers.ts'

/** Returns a hue of 0..359 that is always the same for a string. */
function hueOf (value: string): number {
  let hash = 7
  for (const character of value.slice(0, 40)) hash = (hash * 31 + character.codePointAt(0)!) % 3600
  // Similar names have neighbouring hashes, and hues far apart.
  return hash * 137 % 360
}

/** Returns the first letters of the first two words of a name. */
const initialsOf = (name: string) =>
  (name.match(/(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}]/gu) ?? []).slice(0, 2).join('').toLocaleUpperCase() || '♪'

/** Shows a cover made from the covers of four tracks. */
export const Mosaic = ({ tracks, name, size }: { tracks: readonly Track[], name: string, size: number }) => (
  <span class='cover mosaic' aria-hidden='true'>
    {tracks.map(track => (
      <Cover key={track.album.coverUrl} url={track.album.coverUrl} of={coverOf(track)} name={name} size={size / 2} />
    ))}
  </span>
)

/** Shows a drawn cover with a word on it. */
export const Drawn = ({ word }: { word: string }) => (
  <span class='cover drawn' style={{ '--hue': hueOf(word) }} aria-hidden='true'><span dir='auto'>{word}</span></span>
)

/** Returns the URLs of a cover of this server for its size here, on any screen. */
function scaledFor (url: string, pixels: number): { src: string, srcset: string } | undefined {
  const [src, double] = [sized(url, pixels), sized(url, 2 * pixels)]
  return src === undefined ? undefined : { src, srcset: `${src} 1x, ${double} 2x` }
}

/**
 * Shows a cover, or the initials of the name on a coloured background if the cover is missing or does not load.
 * Decorative.
 *
 * @param of the item of the cover, which is requested again if the cover does not load
 */
export function Cover ({ url: given, of, name, size, round = false, eager = false }: {
  url?: string | undefined, of?: CoverOf | undefined, name: string, size: number, round?: boolean, eager?: boolean
}) {
  const [failed, setFailed] = useState('')
  /** The URL of a picture that is requested in its original size, since no other size exists. */
  const [whole, setWhole] = useState('')
  const url = typeof given === 'string' && /^https?:\/\//i.test(given) ? latestUrl(given) : undefined
  const scaled = url !== undefined && whole !== url ? scaledFor(url, size) : undefined
  const fail = () => {
    if (scaled !== undefined) return setWhole(url!)
    setFailed(url!)
    if (of !== undefined) renewCover(url!, of)
  }
  return (
    <span class={round ? 'cover round' : 'cover'} style={{ '--hue': hueOf(name) }} aria-hidden='true'>
      {url !== undefined && url !== failed
        // A new element for another picture, so that the previous one is not visible until it loads.
        ? (
          <img
            key={scaled?.src ?? url} src={url} {...scaled} alt='' loading={eager ? 'eager' : 'lazy'} decoding='async'
            referrerpolicy='no-referrer' onError={fail}
          />
          )
        : <span class='initial'>{initialsOf(name)}</span>}
    </span>
  )
}
