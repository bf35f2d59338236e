import { configuration } from './configuration.ts'
import { explain } from './explain.ts'
import type { Kind } from './library.ts'
import { say } from './notices.ts'
import { askPage, ownUrl, source } from './sources.ts'

export interface Downloaded { readonly kind: Kind, readonly id: string }

/** Whether the source says where things are saved from: the one beside the page, when it offers that. */
export const canDownload = () => configuration.downloads && source.value.url === ownUrl

/** Lets the browser save a track as a file, anything else as an archive. */
export async function download ({ kind, id }: Downloaded): Promise<void> {
  try {
    const { url } = await askPage<{ url: string }>(`page/download?${new URLSearchParams({ kind, id })}`)
    Object.assign(document.createElement('a'), { href: url, download: '' }).click()
  } catch (error) {
    say(explain(error), true)
  }
}
