import { useLayoutEffect } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { IconButton, Empty } from '../parts/small.tsx'
import { choosePlaylist } from '../parts/choose-playlist.tsx'
import { TrackList } from '../parts/track-list.tsx'
import { rowHeight } from '../parts/track-row.tsx'
import { say } from '../state/notices.ts'
import { jumpTo, takeOut } from '../state/player.ts'
import { clear, entries, index, move, remember } from '../state/queue.ts'
import { route } from '../state/route.ts'
import { can } from '../state/sources.ts'
import { clock, text } from '../texts/index.ts'
import { View } from './view.tsx'

/** The controls of a row, in their order. */
const up = 0
const down = 1
const out = 2

/**
 * Gives the focus to a control of a row when the queue has changed, so that the next press is for the same track, or to
 * the heading where there is no such row any more.
 */
function focusControl (row: number, control: number): void {
  requestAnimationFrame(() => {
    const view = document.querySelector('.view-queue')
    const buttons = view?.querySelectorAll<HTMLButtonElement>(`[data-index="${row}"] .row-controls button`) ?? []
    // At an end of the queue there is only one way to go.
    const button = buttons[control]?.disabled ? buttons[control === up ? down : up] : buttons[control]
    const target = button ?? view?.querySelector('h1')
    target?.focus({ preventScroll: true })
  })
}

function moveTo (at: number, to: number): void {
  move(at, to)
  focusControl(to, to < at ? up : down)
}

function remove (at: number): void {
  const undo = remember()
  const { title } = entries.value[at]!.track
  takeOut(at)
  say(text('takenOut', { title }), false, { label: text('undo'), run: undo })
  focusControl(Math.min(at, entries.value.length - 1), out)
}

/** Takes several out, together. */
function removeAll (tracks: readonly Track[]): void {
  const undo = remember()
  const gone = new Set(tracks)
  for (let at = entries.value.length - 1; at >= 0; at--) if (gone.has(entries.value[at]!.track)) takeOut(at)
  say(text('takenOutMany', { count: tracks.length }), false, { label: text('undo'), run: undo })
}

/** Scrolls to what plays. */
function showCurrent (): void {
  if (route.peek().view === 'queue') {
    document.getElementById('main')!.scrollTop = Math.max(0, index.peek()) * rowHeight
  }
}

function clearAll (): void {
  const undo = remember()
  clear()
  const run = () => {
    undo()
    requestAnimationFrame(showCurrent)
  }
  say(text('cleared'), false, { label: text('undo'), run })
  focusControl(-1, out)
}

/** How much is left to come, without what was heard of the current track. */
function left (): string {
  const coming = entries.value.slice(index.value + 1)
  const time = coming.reduce((sum, { track }) => sum + track.durationMs, 0)
  return text('queueLeft', { count: coming.length, time: clock(time / 1000) })
}

export function Queue () {
  const tracks = entries.value.map(({ track }) => track)
  const { place } = route.value
  // Who comes back finds it as it was left.
  useLayoutEffect(() => { if (!place.isBack) showCurrent() }, [place])
  return (
    <View
      title={text('queue')}
      actions={tracks.length > 0 && (
        <span class='detail-actions'>
          <span class='total'>{left()}</span>
          {can('playlistMutation') && (
            <button
              type='button' class='button' onClick={() => choosePlaylist(async () => tracks, text('saveAsPlaylist'))}
            >
              {text('saveAsPlaylist')}
            </button>
          )}
          {tracks.length > 1 && (
            <button type='button' class='button' onClick={clearAll}>{text('clearQueue')}</button>
          )}
        </span>
      )}
    >
      {tracks.length === 0
        ? <Empty>{text('queueEmpty')}</Empty>
        : (
          <TrackList
            tracks={tracks} label={text('queue')} play={jumpTo} currentIndex={index.value} drag={move}
            removal={{ label: 'takeOutOfQueue', run: removeAll }}
            controls={at => (
              <>
                <IconButton
                  icon='up' label={text('moveUp', { title: tracks[at]!.title })} disabled={at === 0}
                  onClick={() => moveTo(at, at - 1)}
                />
                <IconButton
                  icon='down' label={text('moveDown', { title: tracks[at]!.title })} disabled={at === tracks.length - 1}
                  onClick={() => moveTo(at, at + 1)}
                />
                <IconButton
                  icon='close' label={text('takeOut', { title: tracks[at]!.title })} onClick={() => remove(at)}
                />
              </>
            )}
          />
          )}
    </View>
  )
}
