import { canFavor, favor } from '../state/account-lists.ts'
import { lettersOn } from '../state/letter-keys.ts'
import { next, now, previous, seek, toggle } from '../state/player.ts'
import { muted, volume } from '../state/player-state.ts'
import { current } from '../state/queue.ts'
import { go, hrefOf } from '../state/route.ts'
import { session } from '../state/sources.ts'
import { withLater } from './with-later.ts'

/** What takes letters. */
const fields = 'input:not([type=range]), select, textarea'
/** What the space bar presses for those who came to it by keyboard. */
const pressable = 'button, a, summary'
/** Where the buttons of tracks and of the player are. */
const ofMusic = '.row, .player, .now, .tile, .card, .hero, .view-head, .suggestions'
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

/** Seconds. */
const seekStep = 5

function louder (by: number): void {
  muted.value = false
  volume.value = Math.min(1, Math.max(0, Math.round((volume.value + by) * 50) / 50))
}

function favorCurrent (): void {
  const track = current.value?.track
  if (track !== undefined && canFavor('track', track)) favor('track', track)
}

const focusOn = (selector: string) => {
  const shown = [...document.querySelectorAll<HTMLElement>(selector)].find(element => element.offsetParent !== null)
  shown?.focus()
}

export const focusPlayer = () => focusOn('.play-main')

/** Lists the keys. */
export const showKeys = (): void => withLater(({ openKeys }) => openKeys())

/** What each key does besides the space bar. `letters` can be turned off. */
const arrows: Readonly<Record<string, () => void>> = {
  ArrowLeft: () => seek(now() - seekStep), ArrowRight: () => seek(now() + seekStep)
}
const letters: Readonly<Record<string, () => void>> = {
  '/': () => focusOn('#search'),
  n: next,
  p: previous,
  '+': () => louder(0.1),
  '=': () => louder(0.1),
  '-': () => louder(-0.1),
  m: () => { muted.value = !muted.value },
  f: favorCurrent,
  q: () => go(hrefOf('queue')),
  t: focusPlayer,
  '?': showKeys
}

/** Keys that work wherever nothing else takes them. */
function onKeyDown (event: KeyboardEvent): void {
  const { target, key, defaultPrevented } = event
  if (moving.has(key)) isPointed = false
  isTaken = false
  if (defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
  if (document.querySelector('dialog[open]') !== null || target.closest(fields) !== null) return
  if (key === ' ') {
    if (!isForPlayer(target)) return
    isTaken = true
    if (!event.repeat) toggle()
  } else {
    const takesArrows = target.closest('input, [role="region"], .cards, .segments, pre') !== null
    const name = key.length === 1 ? key.toLowerCase() : key
    const act = lettersOn.value && Object.hasOwn(letters, name)
      ? letters[name]
      : Object.hasOwn(arrows, name) && !takesArrows && !event.shiftKey ? arrows[name] : undefined
    // Behind the sign-in form nobody would see what a key moves.
    if (act === undefined || session.value !== 'open') return
    act()
  }
  event.preventDefault()
}

/** Listens to keys, and to how one came to what has the focus. */
export function listenToKeys (): void {
  document.addEventListener('keydown', onKeyDown)
  document.addEventListener('keyup', event => { if (event.key === ' ' && isTaken) event.preventDefault() })
  document.addEventListener('pointerdown', () => { isPointed = true })
}
