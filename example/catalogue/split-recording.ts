import { idOf } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'

/** The maximum difference of encodings of one recording, in milliseconds. */
const tolerance = 3000

/**
 * Returns the tracks of files with equal tags, by id. The files are one recording unless their durations differ: "Track
 * 01" by "Unknown Artist" is many. The longest one has the plain id.
 *
 * @param id of the recording
 * @param files in the order of their paths, which breaks ties; at least one
 */
export function splitRecording (id: string, files: readonly AudioFile[]): Map<string, AudioFile[]> {
  const [longest, ...parts] = splitByDuration(files)
  return new Map([
    [id, longest!], ...parts.map(part => [idOf(id, Math.round(part[0]!.durationMs / 1000)), part] as const)
  ])
}

/** Splits files by duration, longest first. */
function splitByDuration (files: readonly AudioFile[]): AudioFile[][] {
  const parts: AudioFile[][] = []
  for (const file of files.toSorted((a, b) => b.durationMs - a.durationMs)) {
    const part = parts.at(-1)
    if (part === undefined || part.at(-1)!.durationMs - file.durationMs > tolerance) parts.push([file])
    else part.push(file)
  }
  return parts
}
