import { useRef, useState } from 'preact/hooks'
import { useScroll, scroller } from './use-scroll.ts'

/** Rows above and below what is seen. */
const spareRows = 2

interface Grid {
  readonly columns: number
  /** Pixels from the top of a row to the top of the next one; 0 = not known before the first card is there. */
  readonly height: number
  /** Rows that are in the document. */
  readonly from: number
  readonly to: number
}

/**
 * Lays out cards of one height. In the document are those that can be seen, and the one that had the focus last.
 */
export function useGrid (count: number) {
  const list = useRef<HTMLUListElement>(null)
  const [{ columns, height, from, to }, setGrid] = useState<Grid>({ columns: 1, height: 0, from: 0, to: 1 })
  /** The card that had the focus last. */
  const [focused, setFocused] = useState(-1)
  /** Cards above what is seen, and how they were laid out. */
  const passed = useRef({ columns: 0, height: 0, cards: 0 })
  const heightFor = (height: number, columns: number) => `${Math.ceil(count / columns) * height}px`

  useScroll(() => {
    const ul = list.current!
    const { gridTemplateColumns, rowGap } = getComputedStyle(ul)
    const columns = gridTemplateColumns.split(' ').length
    const height = ul.firstElementChild!.getBoundingClientRect().height + Number.parseFloat(rowGap)
    const main = scroller()
    // At once, for a view that is about to be scrolled to where it was left.
    ul.style.height = heightFor(height, columns)
    const above = () => main.getBoundingClientRect().top - ul.getBoundingClientRect().top
    // What is seen stays when cards get another size.
    const { current: last } = passed
    if (last.cards > 0 && (last.columns !== columns || last.height !== height)) {
      main.scrollTop += last.cards / columns * height - above()
    }
    const first = Math.floor(above() / height)
    passed.current = { columns, height, cards: above() / height * columns }
    // One at least, however far below it the view is scrolled: the height is that of a card.
    const from = Math.max(0, Math.min(first - spareRows, Math.ceil(count / columns) - 1))
    const to = Math.max(1, first + Math.ceil(main.clientHeight / height) + 1 + spareRows)
    const next = { columns, height, from, to }
    const isSame = (grid: Grid) => Object.entries(grid).every(([name, value]) => next[name as keyof Grid] === value)
    setGrid(grid => isSame(grid) ? grid : next)
  }, [count])

  const shown = new Set<number>()
  // A list that has become shorter shows its end, until it is known what of it is seen.
  const start = Math.min(from, Math.ceil(count / columns) - 1) * columns
  for (let index = start; index < Math.min(count, to * columns); index++) shown.add(index)
  if (focused >= 0 && focused < count) shown.add(focused)

  const focusCard = (index: number) => {
    if (index < 0 || index >= count) return
    setFocused(index)
    // After the drawing and before the next key event.
    queueMicrotask(() => list.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"] > a`)?.focus())
  }
  const indexOf = (target: EventTarget | null) =>
    Number((target as Element).closest('[aria-posinset]')?.getAttribute('aria-posinset')) - 1
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || (target as Element).tagName !== 'A') return
    const index = indexOf(target)
    const step = getComputedStyle(list.current!).direction === 'rtl' ? -1 : 1
    const to = ({
      ArrowLeft: index - step,
      ArrowRight: index + step,
      ArrowUp: index - columns,
      ArrowDown: Math.min(index + columns, count - 1),
      Home: 0,
      End: count - 1
    } as Readonly<Record<string, number | undefined>>)[key]
    if (to === undefined) return
    event.preventDefault()
    focusCard(to)
  }
  return {
    // In their order, so that one with the focus is not moved in the document.
    shown: [...shown].sort((a, b) => a - b),
    // With its end: without one it would be at the edge of the list.
    styleOf: (index: number) => {
      const column = index % columns + 1
      return { gridColumn: `${column} / ${column + 1}`, top: `${Math.floor(index / columns) * height}px` }
    },
    list: {
      ref: list,
      style: { height: heightFor(height, columns) },
      onKeyDown,
      onFocusIn: ({ target }: FocusEvent) => setFocused(indexOf(target))
    }
  }
}
