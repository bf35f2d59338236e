import { signal } from '@preact/signals'
import type { AdapterMethod } from '../../../client/index.ts'

interface Opened {
  readonly method: AdapterMethod
  readonly typed: Readonly<Record<string, string>>
}

/** The last form opened by a link, with its typed values. */
export const opened = signal<Opened | undefined>(undefined)

/** Opens the form of an operation and scrolls to it. */
export function openForm (method: AdapterMethod, typed: Opened['typed'] = {}): void {
  opened.value = { method, typed }
  const filter = document.querySelector<HTMLInputElement>('#operation-filter')
  if (filter !== null && filter.value !== '') {
    filter.value = ''
    filter.dispatchEvent(new Event('input', { bubbles: true }))
  }
  requestAnimationFrame(() => {
    const details = document.querySelector<HTMLDetailsElement>(`details[data-method="${method}"]`)
    if (details === null) return
    details.open = true
    details.scrollIntoView({ block: 'start' })
    details.querySelector('summary')!.focus()
  })
}
