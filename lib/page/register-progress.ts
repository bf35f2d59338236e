import type { OwnRoute } from './own-routes.ts'

/**
 * How many files of how many the source has read; `total` is left out while it is not known. `undefined` when it reads
 * none. The page asks each few seconds until then, and loads its lists anew.
 *
 * @see docs/guide/page.md, Progress
 */
export type Progress = () => { readonly done: number, readonly total?: number | undefined } | undefined

/** The page's own route of what the source is doing, for whoever it lets in. `data` is empty when it does nothing. */
export const registerProgress = (route: OwnRoute, progress: Progress): void =>
  route('GET progress', () => progress() ?? {})
