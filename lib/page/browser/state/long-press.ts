/** The duration of a long press in milliseconds. */
const longEnough = 500
/** The maximum movement in pixels during a long press. */
const maxMove = 10

/** Opens context menus by long presses, also in browsers that do not send an event for them. */
export function listenToLongPresses (): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let start = { x: 0, y: 0 }
  let isTaken = false
  const end = () => clearTimeout(timer)
  addEventListener('pointerdown', ({ pointerType, target, clientX, clientY }) => {
    end()
    isTaken = false
    if (pointerType !== 'touch' || !(target instanceof Element) || target.closest('.row, .card') === null) return
    start = { x: clientX, y: clientY }
    timer = setTimeout(() => {
      isTaken = true
      target.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY }))
    }, longEnough)
  })
  addEventListener('pointermove', ({ clientX, clientY }) => {
    if (Math.hypot(clientX - start.x, clientY - start.y) > maxMove) end()
  })
  for (const name of ['pointerup', 'pointercancel', 'scroll']) addEventListener(name, end, { capture: true })
  // The browser's own event comes instead.
  addEventListener('contextmenu', end)
  // Releasing the finger must not count as a click.
  addEventListener('click', event => {
    if (!isTaken) return
    isTaken = false
    event.preventDefault()
    event.stopPropagation()
  }, { capture: true })
}
