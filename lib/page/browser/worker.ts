// The service worker of the page: opens the page with its stored data if the server does not respond. It caches the
// document and its files, and no responses of a source.

interface WorkerEvent extends Event {
  readonly waitUntil: (done: Promise<unknown>) => void
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request
  readonly respondWith: (response: Promise<Response>) => void
}
declare const registration: { readonly scope: string }
declare const clients: { readonly claim: () => Promise<void> }
declare function skipWaiting (): Promise<void>

/** The server inserts both before this code: a hash of the document, and the names of its files. */
declare const version: string
declare const files: readonly string[]

const { scope } = registration
/** Other pages of the same origin have separate caches. */
const names = `source-page ${scope} `
const name = names + version
const urls = new Set(files.map(name => `${scope}page/${name}`))

async function install (): Promise<void> {
  // Bypasses the HTTP cache, which would return outdated parts to an open page after an update.
  const requests = [scope, ...urls].map(url => new Request(url, { cache: 'no-store' }))
  await (await caches.open(name)).addAll(requests)
  await skipWaiting()
}

async function activate (): Promise<void> {
  const others = (await caches.keys()).filter(other => other.startsWith(names) && other !== name)
  await Promise.all(others.map(other => caches.delete(other)))
  await clients.claim()
}

/** Loads from the server, so that a page detects updates, and from the cache if the server is unreachable. */
async function answer (request: Request, url: string): Promise<Response> {
  const kept = async () => (await caches.open(name)).match(url, { ignoreVary: true })
  try {
    const response = await fetch(request)
    return response.status < 500 ? response : await kept() ?? response
  } catch (error) {
    const response = await kept()
    if (response === undefined) throw error
    return response
  }
}

addEventListener('install', event => (event as WorkerEvent).waitUntil(install()))
addEventListener('activate', event => (event as WorkerEvent).waitUntil(activate()))
addEventListener('fetch', event => {
  const { request, respondWith } = event as RequestEvent
  const url = request.url.replace(/[?#].*/, '')
  const isOwn = url === scope ? request.mode === 'navigate' : urls.has(url)
  if (isOwn) respondWith.call(event, answer(request, url))
})
