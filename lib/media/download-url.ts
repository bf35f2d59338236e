import type { RequestContext } from '../contract/source-context.ts'

/** The kinds of item that can be downloaded, as a file or as an archive. */
export const downloadKinds = ['track', 'album', 'artist', 'playlist'] as const
export type DownloadKind = typeof downloadKinds[number]

/**
 * Returns the download URL of an item. The URL needs no header, and its response names the file in
 * `Content-Disposition`. Errors are handled like errors of an adapter.
 *
 * @param context returned by `resolveContext` for the request
 * @returns `undefined` if the item cannot be downloaded
 */
export type DownloadUrl = (
  kind: DownloadKind, id: string, context: RequestContext
) => string | undefined | Promise<string | undefined>
