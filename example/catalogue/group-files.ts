import { idOf } from '../scan/identify.ts'
import type { AudioFile } from '../scan/read-audio-file.ts'
import type { Pause } from '../take-turns.ts'

/** Milliseconds by which encodings of one recording may differ. */
const tolerance = 3000

/**
 * The files of each recording by the id of its track. Files with the same tags are one recording unless their durations
 * differ: "Track 01" by "Unknown Artist" is many. The longest one then has the plain id.
 */
export async function groupFiles (files: readonly AudioFile[], pause: Pause): Promise<Map<string, AudioFile[]>> {
  const groups = new Map<string, AudioFile[]>()
  for (const file of files) {
    const group = groups.get(file.trackId)
    if (group === undefined) groups.set(file.trackId, [file])
    else group.push(file)
    await pause()
  }
  for (const [id, group] of [...groups].filter(([, group]) => group.length > 1)) {
    const parts = splitByDuration(group)
    for (const part of parts.slice(1)) groups.set(idOf(id, Math.round(part[0]!.durationMs / 1000)), part)
    groups.set(id, parts[0]!)
    await pause()
  }
  return groups
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
