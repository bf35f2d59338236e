import { useState } from 'preact/hooks'

/** A number of 0..359 that is always the same for a text. */
function hueOf (value: string): number {
  let hash = 7
  for (const character of value.slice(0, 40)) hash = (hash * 31 + character.codePointAt(0)!) % 3600
  return hash % 360
}

/**
 * A cover, or the first letter of the name on a colour of its own where there is none or it does not load. Decoration.
 */
export function Cover ({ url, name, round = false, eager = false, onFail }: {
  url?: string | undefined, name: string, round?: boolean, eager?: boolean, onFail?: () => void
}) {
  const [failed, setFailed] = useState('')
  const fail = () => {
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
            key={url} src={url} alt='' loading={eager ? 'eager' : 'lazy'} decoding='async' referrerpolicy='no-referrer'
            onError={fail}
          />
          )
        : <span class='initial'>{[...name.trim()][0]?.toLocaleUpperCase() ?? '♪'}</span>}
    </span>
  )
}
