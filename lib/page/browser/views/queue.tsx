import { IconButton, Empty } from '../parts/small.tsx'
import { TrackList } from '../parts/track-list.tsx'
import { jumpTo, takeOut } from '../state/player.ts'
import { clear, entries, index, move } from '../state/queue.ts'
import { text } from '../texts/index.ts'
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
  takeOut(at)
  focusControl(Math.min(at, entries.value.length - 1), out)
}

function clearAll (): void {
  clear()
  focusControl(-1, out)
}

export function Queue () {
  const tracks = entries.value.map(({ track }) => track)
  return (
    <View
      title={text('queue')}
      actions={tracks.length > 1 && (
        <button type='button' class='button' onClick={clearAll}>{text('clearQueue')}</button>
      )}
    >
      {tracks.length === 0
        ? <Empty>{text('queueEmpty')}</Empty>
        : (
          <TrackList
            tracks={tracks} label={text('queue')} play={jumpTo} currentIndex={index.value}
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
