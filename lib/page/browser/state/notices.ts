import { signal } from '@preact/signals'

export interface Notice {
  readonly id: number
  readonly text: string
  readonly isError: boolean
  /** What can be done about it. */
  readonly action?: NoticeAction | undefined
}

export interface NoticeAction {
  readonly label: string
  readonly run: () => void
}

/** Milliseconds that a notice stays. */
const shownFor = 7000

export const notices = signal<readonly Notice[]>([])

let count = 0

/**
 * Says something in the one place for it. The same sentence twice is one notice, and what was done last takes the
 * place of what was done before: an older Undo would take back more than its own change.
 */
export function say (text: string, isError = false, action?: NoticeAction): void {
  const notice = { id: ++count, text, isError, action }
  const others = notices.value.filter(shown => shown.text !== text && (isError || shown.isError))
  notices.value = [...others.slice(-2), notice]
  setTimeout(() => dismiss(notice.id), shownFor)
}

/** Takes something back that does not matter any more. */
export function unsay (text: string): void {
  notices.value = notices.value.filter(notice => notice.text !== text)
}

export function dismiss (id: number): void {
  notices.value = notices.value.filter(notice => notice.id !== id)
}
