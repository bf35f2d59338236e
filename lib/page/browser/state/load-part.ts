import { UpstreamError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'
import { pageUrl } from './configuration.ts'

/** Whether the server has another page by now, whose parts have other names. */
async function isUpdated (): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[src]')!.getAttribute('src')!
  const answer = await fetch(pageUrl, { cache: 'no-store' }).catch(() => undefined)
  return answer?.ok === true && !(await answer.text()).includes(own)
}

/**
 * Loads a part of the page that few people open. After an update of the server the whole page is loaded anew, where it
 * is; the queue is kept.
 *
 * @throws UpstreamError that says so when there is no connection
 */
export async function loadPart<T> (load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (await isUpdated()) location.reload()
    throw new UpstreamError(text('errorConnection'), { cause })
  }
}
