import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { restoreFocus, type HistoryEntry } from '../state/history-entries.ts'
import { route } from '../state/route.ts'

/** Letters with marks above and below: from Hebrew and Arabic to Thai, Tibetan and Khmer, and Vietnamese ones. */
const tall = /[\u0300-\u036f\u0590-\u0fff\u1780-\u17ff\u1ea0-\u1ef9\ufb1d-\ufdff\ufe70-\ufefc]/

/** The view whose heading was last focused. */
let arrivedAt = ''
/** The title of the shown view; empty = the first one. */
export const viewTitle = signal('')
/** The history entry whose scroll position was last restored. */
let restored: HistoryEntry | undefined

/** Renders a view with its heading, which receives the focus on navigation, so that screen readers announce it. */
export function View ({ title, label = title, children, actions, hero }: {
  title: string
  label?: string
  children: ComponentChildren
  actions?: ComponentChildren
  /** Renders a hero that contains the heading, which then has no separate line. */
  hero?: ((heading: ComponentChildren) => ComponentChildren) | undefined
}) {
  const { view, id, entry } = route.value
  useLayoutEffect(() => { viewTitle.value = view === '' ? '' : title }, [view, title])
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    const address = `${view} ${id}`
    const isNew = address !== arrivedAt
    arrivedAt = address
    const comesBack = entry.isBack && entry !== restored
    restored = entry
    if (comesBack || isNew) document.getElementById('main')!.scrollTop = comesBack ? entry.scroll : 0
    const focused = document.activeElement ?? document.body
    // Data that arrives later must not take the focus, also not from a user who types.
    const takes = focused === document.body || (isNew && focused.tagName !== 'INPUT')
    if (takes) heading.current?.focus({ preventScroll: true })
    if (takes && comesBack) restoreFocus(entry, heading.current!)
    // A heading with a hero is another element than one without.
  }, [view, id, entry, hero === undefined])
  const h1 = <h1 ref={heading} tabIndex={-1} dir='auto' class={tall.test(title) ? 'tall' : ''}>{title}</h1>
  return (
    <section class={`view view-${view || 'home'}`} aria-label={label}>
      {hero?.(h1) ?? <div class='view-head'>{h1}{actions}</div>}
      {children}
    </section>
  )
}
