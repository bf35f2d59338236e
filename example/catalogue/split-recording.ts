import { idOf } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'

/** Milliseconds by which encodings of one recording may differ. */
const tolerance = 3000

/**
 * The tracks that files with the same tags are, by id. They are one recording unless their durations differ: "Track 01"
 * by "Unknown Artist" is many. The longest one then has the plain id.
 *
 * @param id of the recording
 * @param files in the order of their paths, which decides where nothing else does; at least one
 */
export function splitRecording (id: string, files: readonly AudioFile[]): Map<string, AudioFile[]> {
  const [longest, ...parts] = splitByDuration(files)
  return new Map([
    [id, longest!], ...parts.map(part => [idOf(id, Math.round(part[0]!.durationMs / 1000)), part] as const)
  ])
}

/** The longest first. */
function splitByDuration (files: readonly AudioFile[]): AudioFile[][] {
  const parts: AudioFile[][] = []
  for (const file of files.toSorted((a, b) => b.durationMs - a.durationMs)) {
    const part = parts.at(-1)
    if (part === undefined || part.at(-1)!.durationMs - file.durationMs > tolerance) parts.push([file])
    else part.push(file)
  }
  return parts
}
