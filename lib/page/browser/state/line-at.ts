import type { Line } from './parse-lyrics.ts'

/** Returns the index of the line that is sung at a time; -1 before the first. */
export function lineAt (lines: readonly Line[], time: number): number {
  return lines.findLastIndex(line => line.time !== undefined && line.time <= time + 0.05)
}
