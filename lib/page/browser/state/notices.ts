import { signal } from '@preact/signals'

export interface Notice {
  readonly id: number
  readonly text: string
  readonly isError: boolean
  /** An action that the notice offers. */
  readonly action?: NoticeAction | undefined
}

export interface NoticeAction {
  readonly label: string
  readonly run: () => void
}

/** The display time of a notice in milliseconds. */
const shownFor = 7000

export const notices = signal<readonly Notice[]>([])

let count = 0

/**
 * Shows a notice. An equal text is shown once, and a new success notice replaces earlier ones, since an older Undo
 * would revert more than its own change.
 */
export function say (text: string, isError = false, action?: NoticeAction): void {
  const notice = { id: ++count, text, isError, action }
  const others = notices.value.filter(shown => shown.text !== text && (isError || shown.isError))
  notices.value = [...others.slice(-2), notice]
  setTimeout(() => dismiss(notice.id), shownFor)
}

/** Removes an outdated notice. */
export function unsay (text: string): void {
  notices.value = notices.value.filter(notice => notice.text !== text)
}

export function dismiss (id: number): void {
  notices.value = notices.value.filter(notice => notice.id !== id)
}
