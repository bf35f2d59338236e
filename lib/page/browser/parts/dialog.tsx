import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { route } from '../state/route.ts'
import { text } from '../texts/index.ts'
import { IconButton } from './small.tsx'

interface Shown {
  readonly title: string
  readonly content: () => ComponentChildren
  /** The position of the dialog. Default: centred. */
  readonly at?: Point | undefined
}

interface Point { readonly x: number, readonly y: number }

/** The position of the last pointer press, unless a key was pressed since. */
let pointer: Point | undefined
addEventListener('pointerdown', ({ clientX: x, clientY: y }) => { pointer = { x, y } }, { capture: true })
addEventListener('keydown', () => { pointer = undefined }, { capture: true })

const shown = signal<Shown | undefined>(undefined)

/** Opens a dialog over the page. When it closes, the focus returns to the previous element. */
export function openDialog (title: string, content: () => ComponentChildren): void {
  shown.value = { title, content }
}

/** Returns the point below the focused element. */
function besideFocus (): Point {
  const { left, bottom } = document.activeElement!.getBoundingClientRect()
  return { x: left, y: bottom }
}

/** Opens a menu at the pointer or the focus. On a narrow screen it is at the bottom, like other dialogs. */
export function openMenu (title: string, content: () => ComponentChildren): void {
  shown.value = { title, content, at: matchMedia('(max-width: 720px)').matches ? undefined : pointer ?? besideFocus() }
}

/** The distance in pixels between a menu and the edges of the window. */
const gap = 8

/** Positions a menu at a point, within the window. */
function place (dialog: HTMLDialogElement, at: Point | undefined): void {
  const { style, offsetWidth, offsetHeight } = dialog
  const within = (from: number, size: number, room: number) => `${Math.max(gap, Math.min(from, room - size - gap))}px`
  style.left = at === undefined ? '' : within(at.x, offsetWidth, innerWidth)
  style.top = at === undefined ? '' : within(at.y, offsetHeight, innerHeight)
}

export function closeDialog (): void {
  shown.value = undefined
}

/** The Navigation API's event before a history entry is left. Some browsers lack it. */
interface NavigateEvent extends Event { readonly navigationType: string }

// Going back closes an open dialog first, if the browser allows the page to intercept it.
const { navigation } = globalThis as { navigation?: EventTarget }
navigation?.addEventListener('navigate', event => {
  if (shown.value === undefined || !event.cancelable || (event as NavigateEvent).navigationType !== 'traverse') return
  event.preventDefault()
  closeDialog()
})

/** Focuses the marked element of a dialog, the first enabled control of its content, or Close. */
export function focusInDialog (): void {
  const find = (selector: string) => document.querySelector<HTMLElement>(`dialog[open] ${selector}`)
  const target = find('[data-first]') ?? find('header ~ * :is(input, button):enabled') ?? find('button')
  target?.focus()
}

/** Renders the container of all dialogs. */
export function DialogPlace () {
  const dialog = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget | null>(null)
  const opened = shown.value
  const { title, content, at } = opened ?? {}
  // A layout effect, so that the open dialog always matches the rendered one.
  useLayoutEffect(() => {
    if (opened === undefined) return dialog.current!.close()
    if (!dialog.current!.open) dialog.current!.showModal()
    place(dialog.current!, at)
    // The focused element may have been removed with the previous content.
    focusInDialog()
    // A dialog may have the title of the menu that opened it.
  }, [opened])
  // A dialog belongs to the view below it.
  useLayoutEffect(() => closeDialog, [route.value.entry])
  return (
    <dialog
      ref={dialog} class={at === undefined ? 'dialog' : 'dialog at-pointer'} aria-labelledby='dialog-title'
      // The event comes later, when another dialog may be open.
      onClose={({ currentTarget }) => { if (!currentTarget.open) closeDialog() }}
      // A text selection that ends beside the dialog must not close it.
      onPointerDown={event => { pressed.current = event.target }}
      onClick={event => {
        if (event.target === dialog.current && pressed.current === dialog.current) closeDialog()
      }}
    >
      {title !== undefined && (
        <div class='dialog-inside'>
          <header>
            <h2 id='dialog-title' dir='auto'>{title}</h2>
            <IconButton icon='close' label={text('close')} onClick={closeDialog} />
          </header>
          {content?.()}
        </div>
      )}
    </dialog>
  )
}
