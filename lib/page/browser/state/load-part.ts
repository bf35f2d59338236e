import { UpstreamError } from '../../../contract/errors.ts'
import { text } from '../texts/index.ts'
import { pageUrl } from './configuration.ts'

/** Returns whether the server has a newer version of the page, whose parts have other names. */
async function isUpdated (): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[src]')!.getAttribute('src')!
  const answer = await fetch(pageUrl, { cache: 'no-store' }).catch(() => undefined)
  return answer?.ok === true && !(await answer.text()).includes(own)
}

/**
 * Loads a rarely used part of the page. After an update of the server the complete page is reloaded at the current
 * view; the queue is retained.
 *
 * @throws UpstreamError without a connection
 */
export async function loadPart<T> (load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    if (await isUpdated()) location.reload()
    throw new UpstreamError(text('errorConnection'), { cause })
  }
}

/** Loads the functions for playlists of other sources. Set at the start, since state imports no parts. */
export const later = {} as { load: () => Promise<typeof import('./add-one-by-one.ts')> }
