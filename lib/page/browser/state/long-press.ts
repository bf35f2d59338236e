/** Milliseconds that a finger stays. */
const longEnough = 500
/** Pixels that it may move meanwhile. */
const most = 10

/** A finger that stays on something asks for its menu, in browsers too that do not tell so by themselves. */
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
    if (Math.hypot(clientX - start.x, clientY - start.y) > most) end()
  })
  for (const name of ['pointerup', 'pointercancel', 'scroll']) addEventListener(name, end, { capture: true })
  // The browser's own comes instead.
  addEventListener('contextmenu', end)
  // Letting go is no click.
  addEventListener('click', event => {
    if (!isTaken) return
    isTaken = false
    event.preventDefault()
    event.stopPropagation()
  }, { capture: true })
}
