import { signal } from '@preact/signals'

/** The distance in pixels that a pointer moves before a drag begins. */
const least = 6
/** The distance in pixels from an edge of the view within which it scrolls. */
const edge = 70

/** The index of the dragged row; -1 without a drag. */
export const lifted = signal(-1)

/** Whether the click at the end of a drag is still to come. */
let hasDragged = false

/** Returns whether a click was the end of a drag. Call it once for each click. */
export function endsDrag (): boolean {
  const was = hasDragged
  hasDragged = false
  return was
}

/**
 * Drags the pressed row with the pointer until it is released.
 *
 * @param move moves a row from an index to another, and returns whether that row exists
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
