import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { text, type TextName } from '../texts/index.ts'
import { SelectionBar, useSelection } from './selection.tsx'
import { headingHeight, isByOthers, Row, rowHeight, type Group, type TrackListProps } from './track-row.tsx'
import { scroller, useScroll } from './use-scroll.ts'

/** The number of rows above and below the visible ones. */
const spareRows = 10

/** Returns the index of the row that contains an element. */
function indexOf (element: EventTarget | null): number | undefined {
  const { index } = (element as Element).closest<HTMLElement>('[data-index]')?.dataset ?? {}
  return index === undefined ? undefined : Number(index)
}

/**
 * The column names, in the order of the cells. They are a pointer shortcut: rows are labelled themselves, and a field
 * sorts the list.
 */
const columns: readonly (readonly [cell: string, name: TextName | undefined])[] = [
  ['row-cover', undefined], ['', 'title'], ['artists', 'artist'], ['row-album', 'album'], ['row-time', 'length'],
  ['row-controls', undefined]
]

const oneGroup: readonly Group[] = [{ heading: '', from: 0 }]

/**
 * Assigns element numbers to visible rows, and reuses the numbers of removed rows: elements are created once, which
 * halves the script time of scrolling.
 */
function useElements (): (shown: ReadonlySet<number>) => ReadonlyMap<number, number> {
  const { current: taken } = useRef(new Map<number, number>())
  const { current: free } = useRef<number[]>([])
  return shown => {
    for (const [index, element] of taken) {
      if (shown.has(index)) continue
      taken.delete(index)
      free.push(element)
    }
    for (const index of shown) if (!taken.has(index)) taken.set(index, free.pop() ?? taken.size)
    return taken
  }
}

/** Renders a track list of any length. Only visible rows are in the document. */
export function TrackList (props: TrackListProps) {
  const {
    tracks, label, more, numbered = false, numberOf, noteOf, usualArtist, currentIndex, removal, groups = oneGroup,
    columns: sorting
  } = props
  const height = rowHeight.value
  const { selection, count } = useSelection(tracks, removal)
  // Rows always receive the same reference, so that only changed rows are rendered again.
  const latest = useRef({ ...props, selection })
  latest.current = { ...props, selection }
  const list = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<readonly [number, number]>([0, 30])
  const elementsOf = useElements()
  const [focused, setFocused] = useState(-1)

  /** Returns the pixels of the list above the visible part. */
  const above = () => scroller().getBoundingClientRect().top - list.current!.getBoundingClientRect().top
  /** The rows above the visible part, which stay there when the row height changes. */
  const passed = useRef(0)
  useLayoutEffect(() => {
    if (passed.current > 0) scroller().scrollTop += passed.current * height - above()
  }, [height])
  useScroll(() => {
    const main = scroller()
    passed.current = above() / height
    const first = Math.floor(passed.current)
    const seen = Math.ceil(main.clientHeight / height)
    // In steps, so that not every pixel renders, and always the same number, so that no row element is created again.
    const start = Math.floor((first - spareRows) / 5) * 5
    const from = Math.max(0, start)
    const to = Math.max(0, start + Math.ceil((seen + 2 * spareRows) / 5 + 1) * 5)
    setRange(range => range[0] === from && range[1] === to ? range : [from, to])
  }, [tracks.length === 0, height])

  const nearEnd = range[1] >= tracks.length - spareRows
  useEffect(() => { if (nearEnd) more?.() }, [nearEnd, tracks, more])

  // The focused row stays in the document, so that the keyboard position is not lost.
  const shown = new Set<number>()
  for (let index = range[0]; index < Math.min(range[1], tracks.length); index++) shown.add(index)
  if (focused >= 0 && focused < tracks.length) shown.add(focused)
  const elements = elementsOf(shown)

  // Browsers without moveBefore remove the focus from an element that moves among the rows.
  const holder = list.current?.contains(document.activeElement) ? document.activeElement as HTMLElement : undefined
  useLayoutEffect(() => {
    if (holder?.isConnected && holder !== document.activeElement) holder.focus({ preventScroll: true })
  })

  const focusRow = (index: number) => {
    if (index < 0 || index >= tracks.length) return
    setFocused(index)
    // After rendering and before the next key event.
    queueMicrotask(() => list.current?.querySelector<HTMLElement>(`[data-index="${index}"] .title`)?.focus())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const index = indexOf(event.target)
    if (index === undefined) return
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: tracks.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    // A moved row retains the focus.
    if (event.altKey && (props.drag?.(index, to) ?? true) === false) return
    if (event.shiftKey && to >= 0 && to < tracks.length) {
      if (count === 0) selection.toggle(index, false)
      selection.toggle(to, true)
    }
    focusRow(to)
  }
  const headings = groups.filter(({ heading }) => heading !== '')
  const topOf = (index: number) =>
    index * height + headings.filter(({ from }) => from <= index).length * headingHeight
  const hasArtists = useMemo(() => tracks.some(track => isByOthers(track, usualArtist)), [tracks, usualArtist])
  const kind = `${numbered ? noteOf === undefined ? 'of-album' : 'noted' : ''} ${hasArtists ? '' : 'of-artist'}`
  return (
    <>
      {currentIndex === undefined && (
        <div class={`columns ${kind}`} aria-hidden='true'>
          {columns.map(([cell, name]) => {
            const isBy = name !== undefined && sorting?.names.has(name)
            return (
              <span
                key={cell} class={isBy ? `${cell} by` : cell} onClick={isBy ? () => sorting!.choose(name) : undefined}
              >
                {name === undefined || (numbered && name === 'album') ? '' : text(name)}
                {isBy && sorting!.sort === name && (sorting!.order === 'asc' ? ' ↑' : ' ↓')}
              </span>
            )
          })}
        </div>
      )}
      <div
        ref={list} role='list' class={`tracks ${kind}`} aria-label={label}
        style={{ height: `${topOf(tracks.length)}px` }}
        onKeyDown={onKeyDown}
        onFocusIn={event => setFocused(indexOf(event.target) ?? -1)}
        onFocusOut={() => setFocused(-1)}
      >
        {[...shown].flatMap(index => {
          const { from, heading } = groups.findLast(({ from }) => from <= index)!
          return [
            heading !== '' && from === index && (
              <div
                key={`heading ${from}`} role='listitem' class='row-heading'
                style={{ transform: `translateY(${topOf(index) - headingHeight}px)` }}
              >
                <h2>{heading}</h2>
              </div>
            ),
            <Row
              key={elements.get(index)} list={latest} track={tracks[index]!} index={index} count={tracks.length}
              top={topOf(index)} number={numbered ? numberOf?.(tracks[index]!) ?? index - from + 1 : undefined}
              isCurrent={currentIndex === undefined ? undefined : currentIndex === index}
              isSelected={selection.has(tracks[index]!)} hasHandle={props.drag !== undefined}
              isHeard={currentIndex !== undefined && index < currentIndex}
            />
          ]
        })}
      </div>
      <SelectionBar selection={selection} count={count} />
    </>
  )
}
