import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { explain } from '../state/explain.ts'
import { say } from '../state/notices.ts'
import { askOwn, canRate } from '../state/session.ts'
import { useLoad } from '../state/use-load.ts'
import { text } from '../texts/index.ts'
import { focusInDialog, openDialog } from './dialog.tsx'

/** Shows a dialog to rate a track. */
export const openStars = (track: Track): void => openDialog(track.title, () => <Stars track={track} />)

/** Shows the account's rating of a track, from one to five stars; nothing if the source does not store ratings. */
export function Stars ({ track: { id } }: { track: Track }) {
  const { data, error } = useLoad(`rating ${id}`, async signal =>
    canRate() ? (await askOwn('GET ratings', { track: [id] }, signal)).ratings?.[id] ?? 0 : undefined)
  const [given, setGiven] = useState<number | undefined>(undefined)
  const storing = useRef(Promise.resolve())
  const shown = given ?? data
  const isThere = shown !== undefined
  useLayoutEffect(() => { if (isThere) focusInDialog() }, [isThere])
  if (!canRate()) return null
  /** Ratings are sent sequentially, since the source may finish a later one first. */
  const rate = (rating: number) => {
    setGiven(rating)
    storing.current = storing.current.then(async () => {
      await askOwn('POST ratings', { track: id, rating })
    }).catch(error => {
      setGiven(undefined)
      say(explain(error), true)
    })
  }
  return (
    <fieldset class='stars' disabled={!isThere}>
      <legend>{text('rating')}</legend>
      {[0, 1, 2, 3, 4, 5].map(value => (
        <label key={value} class={value > 0 && value <= (shown ?? 0) ? 'on' : ''}>
          <input
            type='radio' name='rating' checked={value === shown} data-first={value === shown || undefined}
            aria-label={value === 0 ? text('noStars') : text('stars', { count: value })}
            onChange={() => rate(value)}
          />
          <span aria-hidden='true'>{value === 0 ? '×' : '★'}</span>
        </label>
      ))}
      {error !== '' && <p role='alert'>{error}</p>}
    </fieldset>
  )
}
