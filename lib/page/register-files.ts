import { withinTime } from '../async/timed-call.ts'
import type { RequestContext } from '../contract/source-context.ts'
import type { OwnRoute } from './own-routes.ts'

/** Where the files of a source are, for people. */
export interface SourceFiles {
  /** The folder that the music is read from. */
  readonly folder: string
  /** What was left out of it, and why, a sentence each. */
  readonly leftOut: readonly string[]
  /** Path of a track; `undefined` where there is none. */
  pathOf (track: string): string | undefined | Promise<string | undefined>
}

/**
 * Where the files are, for an account that may know it; `undefined` for others.
 *
 * @see docs/guide/page.md, Files
 */
export type FilesOf = (context: RequestContext) => SourceFiles | undefined

/** The page's own route of where files are. `data` is empty for whom that is not told. */
export const registerFiles = (route: OwnRoute, filesOf: FilesOf): void =>
  route('GET files', async ({ context, call, parameters: { track } }) => {
    const files = filesOf(context)
    if (files === undefined) return {}
    if (track !== undefined) return { path: await withinTime(call, async () => files.pathOf(track)) }
    const { folder, leftOut } = files
    return { folder, leftOut }
  })
