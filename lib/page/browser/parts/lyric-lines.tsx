import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { lineAt } from '../state/line-at.ts'
import type { Line } from '../state/parse-lyrics.ts'
import { now, seek } from '../state/player.ts'
import { playing, position } from '../state/player-state.ts'
import { text } from '../texts/index.ts'

/** Milliseconds after the last scroll until the lyrics follow the music again. */
const readingPause = 5000

/**
 * Renders lyrics, which follow the music if they have times. They stop following while the listener scrolls through
 * them.
 */
export function LyricLines ({ lines }: { lines: readonly Line[] }) {
  const place = useRef<HTMLDivElement>(null)
  const isTimed = useMemo(() => lines.some(({ time }) => time !== undefined), [lines])
  const [time, setTime] = useState(position.value)
  const at = isTimed ? lineAt(lines, time) : -1
  const hasWords = at >= 0 && lines[at]!.words.length > 0
  const isPlaying = playing.value
  const heard = position.value
  const [follows, setFollows] = useState(true)
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const read = () => {
    clearTimeout(pause.current)
    pause.current = setTimeout(() => setFollows(true), readingPause)
    setFollows(false)
  }
  useEffect(() => () => clearTimeout(pause.current), [])

  // Words change more often than the position is updated.
  useEffect(() => {
    setTime(now())
    if (!isPlaying || !hasWords) return
    let frame = 0
    const look = () => {
      setTime(now())
      frame = requestAnimationFrame(look)
    }
    frame = requestAnimationFrame(look)
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, hasWords, heard])

  useEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const box = place.current!
    const line = box.querySelector<HTMLElement>('[aria-current]')
    // The page itself must not scroll.
    if (line === null || !follows) return
    const top = line.offsetTop - box.clientHeight / 2 + line.offsetHeight / 2
    box.scrollTo({ top, behavior: still ? 'auto' : 'smooth' })
  }, [at, follows])

  return (
    <div
      ref={place} class={isTimed ? 'lyrics timed' : 'lyrics'} role='region' aria-label={text('lyrics')} tabIndex={0}
      onWheel={read} onTouchMove={read} onKeyDown={read}
      // A finger that was lifted leaves the lines moving.
      onScroll={() => { if (!follows) read() }}
    >
      {lines.map((line, index) => line.time === undefined
        ? <p key={index} dir='auto'>{line.text}{line.translation !== '' && <small>{line.translation}</small>}</p>
        : (
          <p
            key={index} dir='auto' class={index < at ? 'sung' : ''}
            aria-current={index === at ? 'true' : undefined}
          >
            <button
              type='button' onClick={() => {
                seek(line.time!)
                setFollows(true)
              }}
            >
              {index === at && line.words.length > 0
                ? line.words.map(
                  (word, at) => <span key={at} class={word.time <= time ? 'word sung' : 'word'}>{word.text}</span>
                )
                : line.text}
              {line.translation !== '' && <small>{line.translation}</small>}
            </button>
          </p>
          ))}
      {isTimed && !follows && (
        <div class='follow'>
          <button
            type='button' class='button' onClick={() => {
              setFollows(true)
              place.current!.focus({ preventScroll: true })
            }}
          >
            {text('follow')}
          </button>
        </div>
      )}
    </div>
  )
}
