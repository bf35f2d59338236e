import { canFavor, favor } from '../state/account-lists.ts'
import { lettersOn } from '../state/letter-keys.ts'
import { next, now, previous, seek, toggle } from '../state/player.ts'
import { muted, volume } from '../state/player-state.ts'
import { current } from '../state/queue.ts'
import { go, hrefOf } from '../state/route.ts'
import { session } from '../state/session.ts'
import { withLater } from './with-later.ts'

/** Elements that are pressed or moved, not typed into. */
const moved = ':is([type=range], [type=checkbox], [type=radio])'
/** Elements that accept text input. */
const fields = `input:not(${moved}), textarea`
/** Elements that the space bar activates for keyboard users. */
const pressable = 'button, a, summary, select, [type=checkbox], [type=radio]'
/** The containers of buttons for tracks and the player. */
const ofMusic = '.row, .player, .now, .tile, .card, .hero, .view-head, .suggestions'
/** Keys that move the focus. */
const moving = new Set(['Tab', 'ArrowUp', 'ArrowDown', 'Home', 'End'])

/** Whether the focused element was last reached by pointer rather than by keyboard. */
let isPointed = false
/** Whether the pressed space bar was handled. Some browsers click when it is released. */
let isTaken = false

/** Returns whether the space bar plays and pauses while an element has the focus. */
function isForPlayer (target: Element): boolean {
  if (target.closest('[role="region"]') !== null) return false
  return target.closest(pressable) === null || (isPointed && target.closest(ofMusic) !== null)
}

/** The seek step in seconds. */
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

/** Shows the list of keys. */
export const showKeys = (): void => withLater(({ openKeys }) => openKeys())

/** The actions of keys other than the space bar. `letters` can be disabled. */
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

/** Handles keys that no other element handles. */
function onKeyDown (event: KeyboardEvent): void {
  const { target, key, defaultPrevented } = event
  if (moving.has(key) && !(target instanceof HTMLSelectElement)) isPointed = false
  isTaken = false
  if (defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
  if (document.querySelector('dialog[open]') !== null || target.closest(fields) !== null) return
  if (key === ' ') {
    if (!isForPlayer(target)) return
    isTaken = true
    if (!event.repeat) toggle()
  } else {
    const takesArrows = target.closest('input, select, [role="region"], .cards, .segments, pre') !== null
    // Letters choose an option for keyboard users.
    if (target instanceof HTMLSelectElement && !isPointed) return
    const name = key.length === 1 ? key.toLowerCase() : key
    const act = lettersOn.value && Object.hasOwn(letters, name)
      ? letters[name]
      : Object.hasOwn(arrows, name) && !takesArrows && !event.shiftKey ? arrows[name] : undefined
    // Behind the sign-in form the effect of a key would be invisible.
    if (act === undefined || session.value !== 'open') return
    act()
  }
  event.preventDefault()
}

/** Listens to keys, and records how the focused element was reached. */
export function listenToKeys (): void {
  document.addEventListener('keydown', onKeyDown)
  document.addEventListener('keyup', event => { if (event.key === ' ' && isTaken) event.preventDefault() })
  document.addEventListener('pointerdown', () => { isPointed = true })
}
