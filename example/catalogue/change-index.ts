import type { Pause } from 'fastify-source-origin'
import { changePlaylists, markEntries } from './entry-rows.ts'
import type { PlaylistPart } from '../playlists/group-playlists.ts'
import { copyIdentities } from './identities.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { changeFiles, filesBehind } from './file-rows.ts'
import type { KeptFile } from './kept-file.ts'
import { makeSums } from './sum-rows.ts'
import { makeTracks } from './track-rows.ts'

/** Files that become rows at a time: requests wait for no more. */
export const filesAtATime = 50

/** What has become of the files of the folder. */
export interface Change {
  readonly files?: readonly KeptFile[]
  /** Paths of files that are gone. */
  readonly gone?: readonly string[]
  readonly playlists?: readonly PlaylistPart[]
  /** Paths of playlist files that are gone. */
  readonly gonePlaylists?: readonly string[]
  /** Filled with the times of arrival of recordings whose files are replaced or gone, by their ids. */
  readonly removed?: Map<string, number>
}

/**
 * Makes again what a change changes, and nothing else: tracks, albums, artists and genres. It has to be in a
 * transaction. Lines of playlists are marked, and `findEntries` looks for them.
 */
export function changeIndex (
  db: IndexDatabase, { files = [], gone = [], playlists = [], gonePlaylists = [], removed }: Change
): void {
  const touched = makeTracks(db, changeFiles(db, files, gone, removed))
  makeSums(db, touched)
  changePlaylists(db, playlists, gonePlaylists)
  markEntries(db, touched.paths)
}

/** Adds the files of a library to another one, and what its tracks are recognised by, some at a time. */
export async function copyFiles (from: IndexDatabase, to: IndexDatabase, pause: Pause): Promise<void> {
  await copyIdentities(from, to, pause)
  for (let files = filesBehind(from, '', filesAtATime); files.length > 0;) {
    to.transaction(() => changeIndex(to, { files }))
    files = filesBehind(from, files.at(-1)!.path, filesAtATime)
    await pause()
  }
}
