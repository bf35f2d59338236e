import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { route } from '../state/route.ts'
import { text } from '../texts/index.ts'
import { IconButton } from './small.tsx'

interface Shown {
  readonly title: string
  readonly content: () => ComponentChildren
  /** Where it opens; in the middle where nothing is said. */
  readonly at?: Point | undefined
}

interface Point { readonly x: number, readonly y: number }

/** Where a pointer was pressed last, unless a key was since. */
let pointer: Point | undefined
addEventListener('pointerdown', ({ clientX: x, clientY: y }) => { pointer = { x, y } }, { capture: true })
addEventListener('keydown', () => { pointer = undefined }, { capture: true })

const shown = signal<Shown | undefined>(undefined)

/** Shows a dialog over the page; the focus goes back to where it was when it is closed. */
export function openDialog (title: string, content: () => ComponentChildren): void {
  shown.value = { title, content }
}

/** Below what has the focus. */
function besideFocus (): Point {
  const { left, bottom } = document.activeElement!.getBoundingClientRect()
  return { x: left, y: bottom }
}

/** Shows a menu where the pointer or the focus is. A narrow screen has it at its bottom, as other dialogs. */
export function openMenu (title: string, content: () => ComponentChildren): void {
  shown.value = { title, content, at: matchMedia('(max-width: 720px)').matches ? undefined : pointer ?? besideFocus() }
}

/** Pixels between a menu and the edges of the window. */
const gap = 8

/** Puts a menu where it was asked for, as far as there is room. */
function place (dialog: HTMLDialogElement, at: Point | undefined): void {
  const { style, offsetWidth, offsetHeight } = dialog
  const within = (from: number, size: number, room: number) => `${Math.max(gap, Math.min(from, room - size - gap))}px`
  style.left = at === undefined ? '' : within(at.x, offsetWidth, innerWidth)
  style.top = at === undefined ? '' : within(at.y, offsetHeight, innerHeight)
}

export function closeDialog (): void {
  shown.value = undefined
}

/** What browsers that have it tell of a way in their history that is about to be gone. */
interface NavigateEvent extends Event { readonly navigationType: string }

// The way back closes a dialog first, where the browser lets the page say so.
const { navigation } = globalThis as { navigation?: EventTarget }
navigation?.addEventListener('navigate', event => {
  if (shown.value === undefined || !event.cancelable || (event as NavigateEvent).navigationType !== 'traverse') return
  event.preventDefault()
  closeDialog()
})

/** Gives the focus to what the dialog asks for: what is marked, the first control of its content, or Close. */
export function focusInDialog (): void {
  const find = (selector: string) => document.querySelector<HTMLElement>(`dialog[open] ${selector}`)
  const target = find('[data-first]') ?? find('header ~ * :is(input, button)') ?? find('button')
  target?.focus()
}

/** The one place where dialogs are. */
export function DialogPlace () {
  const dialog = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget | null>(null)
  const { title, content, at } = shown.value ?? {}
  // With the drawing, so that what is open is always what is shown.
  useLayoutEffect(() => {
    if (title === undefined) return dialog.current!.close()
    if (!dialog.current!.open) dialog.current!.showModal()
    place(dialog.current!, at)
    // What had the focus may be gone with the content before.
    focusInDialog()
  }, [title])
  // A dialog is about the view below it.
  useLayoutEffect(() => closeDialog, [route.value.entry])
  return (
    <dialog
      ref={dialog} class={at === undefined ? 'dialog' : 'dialog at-pointer'} aria-labelledby='dialog-title'
      // The event comes later: another one may be open by then.
      onClose={({ currentTarget }) => { if (!currentTarget.open) closeDialog() }}
      // Who selects text and lets go beside the dialog does not mean to close it.
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
