import type { Yield } from 'fastify-source-origin'
import { changePlaylists, markEntries } from './entry-rows.ts'
import type { PlaylistPart } from '../playlists/group-playlists.ts'
import { copyIdentities } from './identities.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { changeFiles, filesBehind } from './file-rows.ts'
import type { KeptFile } from './kept-file.ts'
import { makeSums } from './sum-rows.ts'
import { makeTracks } from './track-rows.ts'

/** The number of files that are written at a time, to limit how long requests wait. */
export const filesAtATime = 50

/** The changes of the files in the folder. */
export interface Change {
  readonly files?: readonly KeptFile[]
  /** Paths of deleted files. */
  readonly gone?: readonly string[]
  readonly playlists?: readonly PlaylistPart[]
  /** Paths of deleted playlist files. */
  readonly gonePlaylists?: readonly string[]
  /** Filled with the arrival times of recordings whose files are replaced or deleted, by id. */
  readonly removed?: Map<string, number>
}

/**
 * Updates only the rows that a change affects: tracks, albums, artists and genres. It must run in a transaction.
 * Affected playlist lines are marked for `findEntries`.
 */
export function changeIndex (
  db: IndexDatabase, { files = [], gone = [], playlists = [], gonePlaylists = [], removed }: Change
): void {
  const touched = makeTracks(db, changeFiles(db, files, gone, removed))
  makeSums(db, touched)
  changePlaylists(db, playlists, gonePlaylists)
  markEntries(db, touched.paths)
}

/** Copies the files of a library to another one in batches, with the data that identifies its tracks. */
export async function copyFiles (from: IndexDatabase, to: IndexDatabase, pause: Yield): Promise<void> {
  await copyIdentities(from, to, pause)
  for (let files = filesBehind(from, '', filesAtATime); files.length > 0;) {
    to.transaction(() => changeIndex(to, { files }))
    files = filesBehind(from, files.at(-1)!.path, filesAtATime)
    await pause()
  }
}
