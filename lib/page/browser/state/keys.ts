import { toggle } from './player.ts'

/** What takes letters. */
const fields = 'input:not([type=range]), select, textarea'
/** What the space bar presses for those who came to it by keyboard. */
const pressable = 'button, a, summary'
/** Where the buttons of tracks and of the player are. */
const ofMusic = '.row, .player, .now, .tile, .card, .detail-head, .view-head, .suggestions'
/** Keys that move the focus. */
const moving = new Set(['Tab', 'ArrowUp', 'ArrowDown', 'Home', 'End'])

/** Whether what has the focus was clicked or tapped last, and not come to by keyboard. */
let isPointed = false
/** Whether the space bar that is down was taken. Some browsers click when it is let go. */
let isTaken = false

/** Whether the space bar plays and pauses, for what has the focus. */
function isForPlayer (target: Element): boolean {
  if (target.closest('[role="region"]') !== null) return false
  return target.closest(pressable) === null || (isPointed && target.closest(ofMusic) !== null)
}

/** Keys that work wherever nothing else takes them. */
function onKeyDown (event: KeyboardEvent): void {
  const { target, key } = event
  if (moving.has(key)) isPointed = false
  isTaken = false
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
  if (document.querySelector('dialog[open]') !== null || target.closest(fields) !== null) return
  if (key === ' ') {
    if (!isForPlayer(target)) return
    isTaken = true
    if (!event.repeat) toggle()
  } else if (key === '/') document.getElementById('search')?.focus()
  else return
  event.preventDefault()
}

function onKeyUp (event: KeyboardEvent): void {
  if (event.key === ' ' && isTaken) event.preventDefault()
}

const onPointerDown = () => { isPointed = true }

/** Listens to keys until the function that it gives is called. */
export function listenToKeys (): () => void {
  document.addEventListener('keydown', onKeyDown)
  document.addEventListener('keyup', onKeyUp)
  document.addEventListener('pointerdown', onPointerDown)
  return () => {
    document.removeEventListener('keydown', onKeyDown)
    document.removeEventListener('keyup', onKeyUp)
    document.removeEventListener('pointerdown', onPointerDown)
  }
}
