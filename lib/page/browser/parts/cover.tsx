import { useState } from 'preact/hooks'
import { ownPath, ownUrl } from '../state/own.ts'

/** A number of 0..359 that is always the same for a text. */
function hueOf (value: string): number {
  let hash = 7
  for (const character of value.slice(0, 40)) hash = (hash * 31 + character.codePointAt(0)!) % 3600
  return hash % 360
}

/** Pixels in which covers are asked for. */
const sizes = [64, 128, 192, 384, 768] as const

/**
 * Where the source beside the page has a cover in another size; nothing for covers that are elsewhere.
 *
 * @param pixels the size in which it is shown
 */
function sized (url: string, pixels: number): { src: string, srcset: string } | undefined {
  if (!url.startsWith(`${ownUrl}/`)) return undefined
  const of = url.slice(ownUrl.length)
  const at = (pixels: number) => ownPath('GET cover', { size: sizes.find(size => size >= pixels) ?? 768, of })
  return { src: at(pixels), srcset: `${at(pixels)} 1x, ${at(2 * pixels)} 2x` }
}

/** A cover of four others. */
export const Mosaic = ({ urls, name, size }: { urls: readonly string[], name: string, size: number }) => (
  <span class='cover mosaic' aria-hidden='true'>
    {urls.map(url => <Cover key={url} url={url} name={name} size={size / 2} />)}
  </span>
)

/** A drawn cover with a word on it. */
export const Drawn = ({ word }: { word: string }) => (
  <span class='cover drawn' style={{ '--hue': hueOf(word) }} aria-hidden='true'><span dir='auto'>{word}</span></span>
)

/**
 * A cover, or the first letter of the name on a colour of its own where there is none or it does not load. Decoration.
 */
export function Cover ({ url, name, size, round = false, eager = false, onFail }: {
  url?: string | undefined, name: string, size: number, round?: boolean, eager?: boolean, onFail?: () => void
}) {
  const [failed, setFailed] = useState('')
  /** The picture that is asked for as it is, since there is none in another size. */
  const [whole, setWhole] = useState('')
  const scaled = typeof url === 'string' && whole !== url ? sized(url, size) : undefined
  const fail = () => {
    if (scaled !== undefined) return setWhole(url!)
    setFailed(url!)
    onFail?.()
  }
  const shown = typeof url === 'string' && /^https?:\/\//i.test(url) && url !== failed
  return (
    <span class={round ? 'cover round' : 'cover'} style={{ '--hue': hueOf(name) }} aria-hidden='true'>
      {shown
        // A new element for another picture: the one before must not be seen until that has come.
        ? (
          <img
            key={scaled?.src ?? url} src={url} {...scaled} alt='' loading={eager ? 'eager' : 'lazy'} decoding='async'
            referrerpolicy='no-referrer' onError={fail}
          />
          )
        : <span class='initial'>{[...name.trim()][0]?.toLocaleUpperCase() ?? '♪'}</span>}
    </span>
  )
}
