/** Moves the focus with the arrow keys among the elements of a list in rows and columns. */
export function walk (event: KeyboardEvent, selector: string): void {
  const { key, target } = event
  const elements = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(selector)]
  const at = elements.indexOf(target as HTMLElement)
  if (at === -1 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const rects = elements.map(element => element.getBoundingClientRect())
  const isBackwards = getComputedStyle(elements[at]!).direction === 'rtl'
  const { top, left } = rects[at]!
  // Finds the nearest element of the next or previous row.
  const inRow = (isBelow: boolean) => {
    const others = rects.map(({ top: y, left: x }, index) => ({ index, y, x }))
      .filter(({ y }) => isBelow ? y > top : y < top)
    const row = Math[isBelow ? 'min' : 'max'](...others.map(({ y }) => y))
    const found = others.filter(({ y }) => y === row).sort((a, b) => Math.abs(a.x - left) - Math.abs(b.x - left))
    return found[0]?.index
  }
  const step = isBackwards ? -1 : 1
  const to = ({
    ArrowLeft: () => at - step,
    ArrowRight: () => at + step,
    ArrowDown: () => inRow(true),
    ArrowUp: () => inRow(false),
    Home: () => 0,
    End: () => elements.length - 1
  } as Readonly<Record<string, (() => number | undefined) | undefined>>)[key]
  if (to === undefined) return
  event.preventDefault()
  elements[to() ?? at]?.focus()
}
