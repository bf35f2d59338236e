import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { route } from '../state/route.ts'

/** Where the heading got the focus last. */
let arrivedAt = ''

/** A view with its heading, which gets the focus when one comes here, so that screen readers say where. */
export function View ({ title, label = title, children, actions }: {
  title: string, label?: string, children: ComponentChildren, actions?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { view, id } = route.value
  useLayoutEffect(() => {
    const place = `${view} ${id}`
    const isNew = place !== arrivedAt
    arrivedAt = place
    if (isNew) document.getElementById('main')!.scrollTop = 0
    const focused = document.activeElement ?? document.body
    // What comes later to the same place, like its data, takes the focus from nobody. Who types goes on typing.
    const takes = focused === document.body || (isNew && focused.tagName !== 'INPUT')
    if (takes) heading.current?.focus({ preventScroll: true })
  }, [view, id])
  return (
    <section class={`view view-${view || 'home'}`} aria-label={label}>
      <div class='view-head'><h1 ref={heading} tabIndex={-1} dir='auto'>{title}</h1>{actions}</div>
      {children}
    </section>
  )
}
