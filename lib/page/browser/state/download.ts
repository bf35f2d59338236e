import { NotFoundError, UnplayableError, UnsupportedFeatureError } from '../../../contract/errors.ts'
import { configuration } from './configuration.ts'
import { explain } from './explain.ts'
import type { ItemKind } from './account-lists.ts'
import { say } from './notices.ts'
import { isOwn } from './own.ts'
import { source } from './saved-sources.ts'
import { askOwn } from './session.ts'

export interface Downloaded { readonly kind: ItemKind, readonly id: string }

/** Returns whether the source has download URLs. Only the source beside the page can. */
export const canDownload = () => configuration.downloads && isOwn(source.value)

const urlOf = ({ kind, id }: Downloaded) => askOwn('GET download', { kind, id })

const refusals = [NotFoundError, UnplayableError, UnsupportedFeatureError]

/** Returns whether the account may download an item: the source allows it, and has a file of it. */
export const mayDownload = (saved: Downloaded): Promise<boolean> =>
  urlOf(saved).then(() => true, error => !refusals.some(refusal => error instanceof refusal))

/** Downloads a track as a file, other items as an archive. */
export async function download (saved: Downloaded): Promise<void> {
  try {
    const { url } = await urlOf(saved)
    Object.assign(document.createElement('a'), { href: url, download: '' }).click()
  } catch (error) {
    say(explain(error), true)
  }
}
