import { NotFoundError, UnplayableError, UnsupportedFeatureError } from '../../../contract/errors.ts'
import { configuration } from './configuration.ts'
import { explain } from './explain.ts'
import type { Kind } from './account-lists.ts'
import { say } from './notices.ts'
import { isOwn } from './own.ts'
import { askOwn, source } from './sources.ts'

export interface Downloaded { readonly kind: Kind, readonly id: string }

/** Whether the source says where things are saved from: the one beside the page, when it offers that. */
export const canDownload = () => configuration.downloads && isOwn(source.value)

const urlOf = ({ kind, id }: Downloaded) => askOwn('GET download', { kind, id })

const refusals = [NotFoundError, UnplayableError, UnsupportedFeatureError]

/** Whether the account may save something: the source does not refuse it, and has a file of it. */
export const mayDownload = (saved: Downloaded): Promise<boolean> =>
  urlOf(saved).then(() => true, error => !refusals.some(refusal => error instanceof refusal))

/** Lets the browser save a track as a file, anything else as an archive. */
export async function download (saved: Downloaded): Promise<void> {
  try {
    const { url } = await urlOf(saved)
    Object.assign(document.createElement('a'), { href: url, download: '' }).click()
  } catch (error) {
    say(explain(error), true)
  }
}
