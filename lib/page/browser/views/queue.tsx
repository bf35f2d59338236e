import { useLayoutEffect } from 'preact/hooks'
import type { Track } from '../../../client/index.ts'
import { IconButton, Empty } from '../parts/small.tsx'
import { choosePlaylist } from '../parts/choose-playlist.tsx'
import { TrackList } from '../parts/track-list.tsx'
import { headingHeight, rowHeight, type Group } from '../parts/track-row.tsx'
import { say } from '../state/notices.ts'
import { jumpTo, takeOut } from '../state/player.ts'
import { clear, entries, goesOn, index, move, remember } from '../state/queue.ts'
import { hrefOf, route } from '../state/route.ts'
import { can } from '../state/session.ts'
import { lasting, text } from '../texts/index.ts'
import { View } from './view.tsx'

/** The indexes of a row's controls. */
const up = 0
const down = 1
const out = 2

/**
 * Focuses a control of a row after the queue has changed, so that the next press applies to the same track, or the
 * heading if the row no longer exists.
 */
function focusControl (row: number, control: number): void {
  // After rendering and before the next key event.
  queueMicrotask(() => {
    const view = document.querySelector('.view-queue')
    const buttons = view?.querySelectorAll<HTMLButtonElement>(`[data-index="${row}"] .row-controls button`) ?? []
    // At an end of the queue only one direction is possible.
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
  const { track } = entries.value[at]!
  takeOut([track])
  say(text('takenOut', { title: track.title }), false, { label: text('undo'), run: undo })
  focusControl(Math.min(at, entries.value.length - 1), out)
}

/** Removes several tracks together. */
function removeAll (tracks: readonly Track[]): void {
  const undo = remember()
  takeOut(tracks)
  say(text('takenOutMany', { count: tracks.length }), false, { label: text('undo'), run: undo })
}

/** Scrolls to the playing track. */
function showCurrent (): void {
  if (route.peek().view === 'queue') {
    const at = index.peek()
    document.getElementById('main')!.scrollTop = at > 0 ? at * rowHeight.value + headingHeight : 0
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

/**
 * Returns the groups of the queue: played tracks, the current one, and the next ones without the played part of the
 * current track.
 */
function groupsOf (tracks: readonly Track[], at: number): readonly Group[] {
  const coming = tracks.slice(at + 1)
  const left = [text('toCome', { count: coming.length }), lasting(coming)].filter(Boolean).join(', ')
  const groups = [
    { heading: text('heard'), from: 0 }, { heading: text('nowPlaying'), from: at }, { heading: left, from: at + 1 }
  ]
  return groups.filter(({ from }, group) => from < (groups[group + 1]?.from ?? tracks.length))
}

export function Queue () {
  const tracks = entries.value.map(({ track }) => track)
  const { entry } = route.value
  // On return to the view, its scroll position is restored.
  useLayoutEffect(() => { if (!entry.isBack) showCurrent() }, [entry])
  return (
    <View
      title={text('queue')}
      actions={(
        <span class='actions'>
          <span class='total'>{lasting(tracks)}</span>
          <a class='button' href={hrefOf('history')}>{text('history')}</a>
          {can('similarTracks') && (
            <label class='check'>
              <input
                type='checkbox' checked={goesOn.value}
                onChange={event => { goesOn.value = event.currentTarget.checked }}
              />
              {text('goesOn')}
            </label>
          )}
          {tracks.length > 0 && can('playlistMutation') && (
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
        ? <Empty icon='queue'>{text('queueEmpty')}</Empty>
        : (
          <TrackList
            tracks={tracks} label={text('queue')} play={jumpTo} currentIndex={index.value} drag={move}
            groups={groupsOf(tracks, index.value)}
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
