import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { route } from '../state/route.ts'

/** A view with its heading, which gets the focus when one comes here, so that screen readers say where. */
export function View ({ title, label = title, children, actions }: { title: string, label?: string, children: ComponentChildren, actions?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { view, id } = route.value
  useEffect(() => {
    document.getElementById('main')!.scrollTop = 0
    const { activeElement } = document
    if (activeElement === null || activeElement.tagName !== 'INPUT') heading.current?.focus({ preventScroll: true })
  }, [view, id])
  return (
    <section class={`view view-${view || 'home'}`} aria-label={label}>
      <div class='view-head'><h1 ref={heading} tabIndex={-1} dir='auto'>{title}</h1>{actions}</div>
      {children}
    </section>
  )
}
