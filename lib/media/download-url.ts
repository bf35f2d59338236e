import type { RequestContext } from '../contract/source-context.ts'

/** What can be saved, as a file or an archive of files. */
export const downloadKinds = ['track', 'album', 'artist', 'playlist'] as const
export type DownloadKind = typeof downloadKinds[number]

/**
 * Says where something is saved from: a URL that needs no header and names the file in `Content-Disposition`. Errors
 * are those of an adapter.
 *
 * @param context that `resolveContext` gave for the request
 * @returns `undefined` for what cannot be saved
 */
export type DownloadUrl = (
  kind: DownloadKind, id: string, context: RequestContext
) => string | undefined | Promise<string | undefined>
