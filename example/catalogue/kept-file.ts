import type { AudioFile } from '../scan/read-audio-file.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import { joinPath } from '../text/paths.ts'

/** The stored data of an unreadable file. It is tried again after it has changed. */
interface BrokenFile extends FoundFile { readonly broken: true }

/** A file as stored in the library. */
export type KeptFile = AudioFile | BrokenFile

/** Files of recordings, by recording id and path. */
export type Recordings = Map<string, Map<string, AudioFile>>

/** The row of a readable file. */
export interface FileRow {
  folder: string
  name: string
  size: number
  mtime: number
  recording: string
  added: number
  audio: string
  tags: string
}

export const readRow = ({ folder, name, size, mtime, recording, added, audio, tags }: FileRow): AudioFile => ({
  path: joinPath(folder, name),
  size,
  mtimeMs: mtime,
  trackId: recording,
  added,
  audio,
  ...JSON.parse(tags)
})

export const writeTags = ({ path, size, mtimeMs, trackId, added, audio, ...tags }: AudioFile): string =>
  JSON.stringify(tags)

/** Returns the files of a recording. */
export function filesOf (recordings: Recordings, recording: string): Map<string, AudioFile> {
  let files = recordings.get(recording)
  if (files === undefined) recordings.set(recording, files = new Map())
  return files
}
