import type { OwnRoute } from './page-routes.ts'

/**
 * Returns the numbers of read files and of all files; `total` is absent while unknown. `undefined` if no files are
 * being read. The page polls every few seconds until then, and reloads its lists.
 *
 * @see docs/reference/page.md, Progress
 */
export type Progress = () => { readonly done: number, readonly total?: number | undefined } | undefined

/** Registers the page's route for the progress. `data` is empty if no files are being read. */
export const registerProgress = (route: OwnRoute, progress: Progress): void =>
  route('GET progress', () => progress() ?? {})
