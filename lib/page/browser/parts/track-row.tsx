import { signal } from '@preact/signals'
import type { Track } from '../../../client/index.ts'
import { canFavor } from '../state/account-lists.ts'
import { coverOf } from '../state/covers.ts'
import { gone, unavailable } from '../state/missing-tracks.ts'
import { playing } from '../state/player-state.ts'
import { current } from '../state/queue.ts'
import { hrefOf } from '../state/route.ts'
import { clock, text } from '../texts/index.ts'
import { Cover } from './cover.tsx'
import { dragRow, endsDrag, lifted } from './drag-row.ts'
import { draggable } from './drag-tracks.ts'
import { Icon } from './icon.tsx'
import { Artists, Heart, IconButton } from './small.tsx'
import { openTrackMenu, type Removal } from './track-menu.tsx'

/** The text size that the listener chose in the browser, relative to the usual one. */
const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 15
/** Returns the row height in pixels, as in the style sheet. */
const heightFor = ({ matches }: { readonly matches: boolean }) => (matches ? 44 : 64) * scale
const wide = matchMedia('(min-width: 721px)')
export const rowHeight = signal(heightFor(wide))
wide.addEventListener('change', event => { rowHeight.value = heightFor(event) })
export const headingHeight = 44 * scale

/** A group of consecutive tracks of a list, starting at an index. */
export interface Group {
  readonly heading: string
  readonly from: number
}

export interface TrackListProps {
  readonly tracks: readonly Track[]
  readonly label: string
  /** Plays the list from an index. */
  readonly play: (index: number) => void
  /** Called near the end of the list. */
  readonly more?: () => void
  /** The groups with tracks, in order. Default: one group without a heading. */
  readonly groups?: readonly Group[] | undefined
  /** The index of the current row, if the list is the queue. */
  readonly currentIndex?: number
  /** Returns controls at the end of a row, which replace heart and menu. */
  readonly controls?: (index: number) => preact.ComponentChildren
  readonly numbered?: boolean | undefined
  /** Returns the number of a track, if it differs from its position in the list. */
  readonly numberOf?: ((track: Track) => number | undefined) | undefined
  /** Returns a note about a track, for lists without albums. */
  readonly noteOf?: ((track: Track) => string) | undefined
  /** The artist that rows omit, for example the album artist. */
  readonly usualArtist?: string | undefined
  /** Moves a row that is dragged by its cover. Returns whether the target exists. */
  readonly drag?: (from: number, to: number) => boolean
  readonly removal?: Removal
  /** The sortable columns and the current sort. */
  readonly columns?: {
    readonly names: ReadonlySet<string>
    readonly sort: string
    readonly order: string
    readonly choose: (name: string) => void
  } | undefined
}

export interface Selection {
  readonly has: (track: Track) => boolean
  /** Selects or deselects a row, or with `isRange` all rows from the last one to this. */
  readonly toggle: (index: number, isRange: boolean) => void
  readonly clear: () => void
  readonly tracks: () => readonly Track[]
  readonly openMenu: () => void
}

interface RowProps {
  readonly list: { readonly current: TrackListProps & { readonly selection: Selection } }
  readonly track: Track
  readonly index: number
  readonly count: number
  /** The distance in pixels from the beginning of the list. */
  readonly top: number
  /** The number of the row, if the list shows numbers. */
  readonly number: number | undefined
  /** Whether the row is current. `undefined`: compare with the playing track. */
  readonly isCurrent: boolean | undefined
  /** Whether it is before the current entry of the queue. */
  readonly isHeard: boolean
  readonly isSelected: boolean
  /** Whether it can be dragged now. */
  readonly hasHandle: boolean
}

/** Returns whether the artists differ from the usual artist. */
export const isByOthers = ({ artists }: Track, usual: string | undefined) =>
  artists.map(({ name }) => name).join(', ') !== usual

/** Returns whether an event is outside the row's interactive elements. */
const isBeside = ({ target }: MouseEvent) => (target as Element).closest('button, a, .row-cover') === null

export function Row (props: RowProps) {
  const { list, track, index, count, top, number, isHeard, isSelected, hasHandle } = props
  const { isCurrent = current.value?.track.id === track.id } = props
  const { controls, removal, drag, noteOf, usualArtist } = list.current
  const note = noteOf?.(track) ?? ''
  const isLifted = hasHandle && lifted.value === index
  const lack = gone.value.has(track.id) ? text('gone') : unavailable.value(track.id)
  const states = {
    gone: lack, current: isCurrent, heard: !isCurrent && isHeard, selected: isSelected, lifted: isLifted
  }
  const play = (index: number) => list.current.play(index)
  const openMenu = () => {
    const { selection } = list.current
    if (selection.has(track)) selection.openMenu()
    else openTrackMenu(track, removal)
  }
  /** Clicks with Shift or Ctrl select, on any part of the row. */
  const select = (event: MouseEvent) => {
    const selects = event.shiftKey || event.ctrlKey || event.metaKey
    if (!selects) return
    event.preventDefault()
    event.stopPropagation()
    list.current.selection.toggle(index, event.shiftKey)
  }
  const click = (event: MouseEvent) => {
    if (!isBeside(event)) return
    // A tap beside the title counts as a tap on it.
    if ((event as PointerEvent).pointerType === 'touch') play(index)
    else list.current.selection.clear()
  }
  return (
    <div
      role='listitem' data-index={index}
      class={['row', ...Object.entries(states).flatMap(([name, is]) => is ? name : [])].join(' ')}
      aria-setsize={count} aria-posinset={index + 1}
      aria-current={isCurrent ? 'true' : undefined}
      style={{ transform: `translateY(${top}px)` }}
      onClickCapture={select} onClick={click}
      onMouseDown={event => { if (event.shiftKey) event.preventDefault() }}
      onContextMenu={event => {
        // Links retain the browser's context menu.
        if ((event.target as Element).closest('a') !== null) return
        event.preventDefault()
        openMenu()
      }}
      onDblClick={event => { if (isBeside(event)) play(index) }}
      {...draggable(() => list.current.selection.has(track) ? list.current.selection.tracks() : [track])}
    >
      <span
        class={hasHandle ? 'row-cover handle' : 'row-cover'} aria-hidden='true'
        onClick={() => { if (!endsDrag()) play(index) }}
        {...(hasHandle && {
          title: text('dragHint'),
          onPointerDown: (event: PointerEvent) => dragRow(event, index, rowHeight.value, drag!)
        })}
      >
        {number === undefined
          ? (
            <Cover
              url={track.album.coverUrl} of={coverOf(track)} name={track.album.name || track.title} size={44}
            />
            )
          : <span class='number'>{number}</span>}
        <span class='over'>
          {isCurrent && playing.value ? <span class='bars'><i /><i /><i /></span> : <Icon name='play' size={20} />}
        </span>
      </span>
      <span class='row-text'>
        <button
          type='button' class='title' dir='auto' aria-label={text('playTitle', { title: track.title })}
          title={track.title} onClick={() => play(index)}
        >
          {track.title}
        </button>
        {isSelected && <span class='hidden'>{text('isSelected')}</span>}
        {lack || !isByOthers(track, usualArtist)
          ? <span class='artists'>{lack}</span>
          : <Artists artists={track.artists} />}
      </span>
      <span class='row-album' dir='auto' title={note || undefined}>
        {note}
        {noteOf === undefined && track.album.id !== '' && track.album.name !== '' && (
          <a href={hrefOf('album', track.album.id)} title={track.album.name}>{track.album.name}</a>
        )}
      </span>
      <span class='row-time'>{clock(track.durationMs / 1000)}</span>
      <span class='row-controls'>
        {controls?.(index) ?? (
          <>
            {canFavor('track', track) && <Heart kind='track' item={track} name={track.title} />}
            <IconButton
              icon='more' label={text('moreFor', { title: track.title })}
              onClick={() => openTrackMenu(track, removal)}
            />
          </>
        )}
      </span>
    </div>
  )
}
