import { computed, signal } from '@preact/signals'
import { configuration } from './configuration.ts'
import { isOwn, ownUrl } from './own.ts'
import { keep, recall } from './storage.ts'

export interface SavedSource {
  /** The URL without a trailing slash. */
  readonly url: string
  readonly name: string
  readonly token: string
  /** The account of the token, if the source beside the page has reported it. */
  readonly account?: string | undefined
  /** Whether the token belongs to this browser alone, so that signing out revokes it. */
  readonly isOfBrowser?: boolean | undefined
}

/** Returns the stored sources, the one beside the page first. */
export function recallSources (): readonly SavedSource[] {
  const kept = recall<readonly SavedSource[]>('sources', [])
  const list = Array.isArray(kept) ? kept : []
  const own = list.find(isOwn)
  return [
    { ...own, url: ownUrl, token: own?.token ?? '', name: configuration.title },
    ...list.filter(known => !isOwn(known))
  ]
}

/** The sources known to this tab. */
export const sources = signal(recallSources())

const currentUrl = signal(recall(`current:${ownUrl}`, ownUrl))

export const source = computed<SavedSource>(
  () => sources.value.find(({ url }) => url === currentUrl.value) ?? sources.value[0]!
)

export const ownToken = () => sources.value.find(isOwn)!.token

export function show (url: string): void {
  currentUrl.value = url
  keep(`current:${ownUrl}`, url)
}

/** Updates the stored sources, including changes by other tabs: each tab writes only its own changes. */
export function store (change: (list: readonly SavedSource[]) => readonly SavedSource[], url: string): void {
  sources.value = change(sources.value)
  keep('sources', change(recallSources()))
  show(url)
}
