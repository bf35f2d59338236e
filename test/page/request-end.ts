import type { Page, Request } from 'playwright-core'

/** Resolves when the page has received the next response to such a request, or has cancelled it. */
export function requestEnd (page: Page, url: RegExp): Promise<Request> {
  const isIt = (request: Request) => url.test(request.url())
  return Promise.any([page.waitForEvent('requestfinished', isIt), page.waitForEvent('requestfailed', isIt)])
}
