import { withinTime } from '../async/timed-call.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { OwnRoute } from './page-routes.ts'

/** The files of a source, for display. */
export interface SourceFiles {
  /** The path of the music folder. */
  readonly folder: string
  /** Skipped files with the reason, one message each. */
  readonly leftOut: readonly string[]
  /** Returns the path of a track; `undefined` if it has none. */
  pathOf (track: string): string | undefined | Promise<string | undefined>
}

/**
 * Returns the files for an account that may see them; `undefined` for others.
 *
 * @see docs/reference/page.md, Files
 */
export type FilesOf = (context: RequestContext) => SourceFiles | undefined

/** Registers the page's route for file paths. `data` is empty for accounts that may not see them. */
export const registerFiles = (route: OwnRoute, filesOf: FilesOf): void =>
  route('GET files', async ({ context, call, parameters: { track } }) => {
    const files = filesOf(context)
    if (files === undefined) return {}
    if (track !== undefined) return { path: await withinTime(call, async () => files.pathOf(track)) }
    const { folder, leftOut } = files
    return { folder, leftOut }
  })
