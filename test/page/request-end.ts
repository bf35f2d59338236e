import type { Page, Request } from 'playwright-core'

/** Resolves when the page has received the response to the next request with this URL, or has cancelled the request. */
export function requestEnd (page: Page, url: RegExp): Promise<Request> {
  const isIt = (request: Request) => url.test(request.url())
  return Promise.any([page.waitForEvent('requestfinished', isIt), page.waitForEvent('requestfailed', isIt)])
}
