import { signal } from '@preact/signals'

/** Pixels that a pointer moves before it drags. */
const least = 6
/** Pixels from an edge of the view within which it scrolls. */
const edge = 70

/** Index of the row that is being dragged; -1 where there is none. */
export const lifted = signal(-1)

/** Whether the click that comes with the end of a drag is still to come. */
let hasDragged = false

/** Whether a click was the end of a drag. Asked once for each. */
export function endsDrag (): boolean {
  const was = hasDragged
  hasDragged = false
  return was
}

/**
 * Moves the row that a pointer was pressed on to wherever the pointer goes, until it is let go.
 *
 * @param move moves a row from an index to another one, and says whether there is such a row
 */
export function dragRow (
  { button, pointerId, clientY, currentTarget }: PointerEvent, index: number, rowHeight: number,
  move: (from: number, to: number) => boolean
): void {
  if (button !== 0) return
  const handle = currentTarget as HTMLElement
  const main = document.getElementById('main')!
  const start = clientY + main.scrollTop
  let at = index
  let y = clientY
  let frame = 0
  hasDragged = false
  handle.setPointerCapture(pointerId)
  const moveRow = () => {
    const to = index + Math.round((y + main.scrollTop - start) / rowHeight)
    if (to !== at && move(at, to)) lifted.value = at = to
  }
  const follow = () => {
    const { top, bottom } = main.getBoundingClientRect()
    if (y < top + edge) main.scrollTop -= 8
    if (y > bottom - edge) main.scrollTop += 8
    moveRow()
    frame = requestAnimationFrame(follow)
  }
  const onMove = ({ clientY }: PointerEvent) => {
    y = clientY
    if (hasDragged || Math.abs(y - start + main.scrollTop) < least) return
    hasDragged = true
    lifted.value = at
    frame = requestAnimationFrame(follow)
  }
  const onEnd = () => {
    cancelAnimationFrame(frame)
    // The row may be dropped before the next frame.
    if (frame !== 0) moveRow()
    lifted.value = -1
    handle.removeEventListener('pointermove', onMove)
    handle.removeEventListener('lostpointercapture', onEnd)
  }
  handle.addEventListener('pointermove', onMove)
  handle.addEventListener('lostpointercapture', onEnd)
}
