/*! Contains Preact and @preact/signals (MIT, Jason Miller and the Preact team). */
import { render } from 'preact'
import { App } from './app.tsx'
import { listenToKeys } from './parts/keys.ts'
import { withLater } from './parts/with-later.ts'
import { later, loadPart } from './state/load-part.ts'
import { pageUrl } from './state/configuration.ts'
import { startKeepingQueue } from './state/keep-queue.ts'
import { forgetAccountLists } from './state/account-lists.ts'
import { listenToLongPresses } from './state/long-press.ts'
import { startMediaSession } from './state/media-session.ts'
import { notices } from './state/notices.ts'
import { forgetLoaded } from './state/history-entries.ts'
import { startReportingPlays } from './state/report-plays.ts'
import { source } from './state/saved-sources.ts'
import { offers, session } from './state/session.ts'
import './state/theme.ts'
import { openWithLink } from './token-of-link.tsx'

addEventListener('hashchange', () => { if (location.hash.startsWith('#token=')) openWithLink() })
source.subscribe(() => {
  // Notices and their Undo buttons belong to the previous source.
  notices.value = []
  forgetAccountLists()
  forgetLoaded()
})
// It shows which sources are unavailable, and shares the queue of the account.
later.load = () => loadPart(() => import('./later.ts'))
offers.subscribe(({ sources, queue, validUntil }) =>
  (sources || queue || validUntil) && withLater(parts => parts.renewAccount()))
// The first click on a link finds the other views there.
const stop = session.subscribe(state => {
  if (state !== 'open') return
  queueMicrotask(() => stop())
  setTimeout(() => { Promise.all([import('./later-views.ts'), import('./later.ts')]).catch(() => {}) }, 1000)
})
// For the inspector's request log.
performance.setResourceTimingBufferSize(2000)
startKeepingQueue()
startMediaSession()
startReportingPlays()
listenToKeys()
listenToLongPresses()
render(<App />, document.getElementById('app')!)
openWithLink()
// Browsers have no service worker on plain http of another machine, and reject it in some private windows.
const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
workers?.register(`${pageUrl}page/worker.js`, { scope: pageUrl }).catch(() => {})
