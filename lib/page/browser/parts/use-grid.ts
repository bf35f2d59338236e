import { useRef, useState } from 'preact/hooks'
import { useScroll, scroller } from './use-scroll.ts'

/** The number of rows above and below the visible ones. */
const spareRows = 2

interface Grid {
  readonly columns: number
  /** The distance in pixels between the tops of two rows; 0 until the first card is rendered. */
  readonly height: number
  /** The range of rendered rows. */
  readonly from: number
  readonly to: number
}

/** Lays out cards of one height. The document contains only the visible cards, and the card that last had the focus. */
export function useGrid (count: number) {
  const list = useRef<HTMLUListElement>(null)
  const [{ columns, height, from, to }, setGrid] = useState<Grid>({ columns: 1, height: 0, from: 0, to: 1 })
  /** The card that last had the focus. */
  const [focused, setFocused] = useState(-1)
  /** The cards above the visible part, with their layout. */
  const passed = useRef({ columns: 0, height: 0, cards: 0 })
  const heightFor = (height: number, columns: number) => `${Math.ceil(count / columns) * height}px`

  useScroll(() => {
    const ul = list.current!
    const { gridTemplateColumns, rowGap } = getComputedStyle(ul)
    const columns = gridTemplateColumns.split(' ').length
    const height = ul.firstElementChild!.getBoundingClientRect().height + Number.parseFloat(rowGap)
    const main = scroller()
    // Set immediately, for a view whose scroll position is about to be restored.
    ul.style.height = heightFor(height, columns)
    const above = () => main.getBoundingClientRect().top - ul.getBoundingClientRect().top
    // The visible part stays when the card size changes.
    const { current: last } = passed
    if (last.cards > 0 && (last.columns !== columns || last.height !== height)) {
      main.scrollTop += last.cards / columns * height - above()
    }
    const first = Math.floor(above() / height)
    passed.current = { columns, height, cards: above() / height * columns }
    // At least one card, at any scroll position, since the row height is measured from a card.
    const from = Math.max(0, Math.min(first - spareRows, Math.ceil(count / columns) - 1))
    const to = Math.max(1, first + Math.ceil(main.clientHeight / height) + 1 + spareRows)
    const next = { columns, height, from, to }
    const isSame = (grid: Grid) => Object.entries(grid).every(([name, value]) => next[name as keyof Grid] === value)
    setGrid(grid => isSame(grid) ? grid : next)
  }, [count])

  const shown = new Set<number>()
  // A list that has become shorter shows its end until the visible part is measured.
  const start = Math.min(from, Math.ceil(count / columns) - 1) * columns
  for (let index = start; index < Math.min(count, to * columns); index++) shown.add(index)
  if (focused >= 0 && focused < count) shown.add(focused)

  const focusCard = (index: number) => {
    if (index < 0 || index >= count) return
    setFocused(index)
    // After rendering and before the next key event.
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
    // In list order, so that a focused card is not moved in the document.
    shown: [...shown].sort((a, b) => a - b),
    // With an explicit end, since otherwise the card would be at the edge of the list.
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
