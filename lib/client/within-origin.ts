import { UpstreamError } from '../contract/errors.ts'

const redirects = [301, 302, 303, 307, 308]
/** Statuses that turn a POST into a GET, which would change nothing. */
const asGet = [301, 302, 303]

/** The maximum number of redirects of one request. */
const mostRedirects = 5

/**
 * Creates a `fetch` that follows redirects only within the origin of the URL, because another origin may be a private
 * service that only this machine reaches.
 */
export function withinOrigin (fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    let url = String(input)
    const check = (found: string) => {
      const [{ origin }, { origin: other }] = [new URL(url), new URL(found, url)]
      if (other !== origin) throw new UpstreamError(`${origin} leads to ${other}, which is another origin`)
    }
    for (let left = mostRedirects; ; left--) {
      const response = await fetch(url, { ...init, redirect: 'manual' })
      // A browser either follows redirects itself or hides their target.
      if (response.type === 'opaqueredirect') {
        const followed = await fetch(url, init)
        check(followed.url)
        return followed
      }
      const location = response.headers.get('location')
      const { status } = response
      if (location === null || !redirects.includes(status) || left === 0 || !URL.canParse(location, url) ||
        (init?.method === 'POST' && asGet.includes(status))) return response
      response.body?.cancel().catch(() => {})
      check(location)
      url = new URL(location, url).href
    }
  }
}
