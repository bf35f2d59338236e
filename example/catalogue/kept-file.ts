import type { AudioFile } from '../scan/read-audio-file.ts'
import type { FoundFile } from '../scan/walk-folder.ts'
import { joinPath } from '../text/paths.ts'

/** What is kept of a file that could not be read: it is tried again when it has changed. */
interface BrokenFile extends FoundFile { readonly broken: true }

/** A file as the library keeps it. */
export type KeptFile = AudioFile | BrokenFile

/** Files that recordings have got, by the ids of the recordings and by their paths. */
export type Recordings = Map<string, Map<string, AudioFile>>

/** The row of a file that could be read. */
export interface FileRow {
  folder: string
  name: string
  size: number
  mtime: number
  recording: string
  added: number
  audio: string | null
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

/** What a recording has got. */
export function filesOf (recordings: Recordings, recording: string): Map<string, AudioFile> {
  let files = recordings.get(recording)
  if (files === undefined) recordings.set(recording, files = new Map())
  return files
}
