import type { PlaylistFile } from './read-playlist.ts'

/** A playlist file, or some lines of a long one. */
export interface PlaylistPart extends PlaylistFile {
  /** The number of lines before the first line of this part. Default: 0. */
  readonly from?: number
  /** `true` if other parts of the file follow. Default: `false`. */
  readonly hasMore?: boolean
}

/** The number of lines that are written in one transaction. */
const linesAtATime = 1000

/**
 * Groups playlist files by transaction. A group contains several short files or a part of a long one. Without files, it
 * returns one empty group.
 */
export function groupsOf (playlists: readonly PlaylistFile[]): PlaylistPart[][] {
  let group: PlaylistPart[] = []
  const groups = [group]
  let lines = 0
  for (const part of playlists.flatMap(partsOf)) {
    lines += part.entries.length
    if (lines > linesAtATime) {
      groups.push(group = [])
      lines = part.entries.length
    }
    group.push(part)
  }
  return groups
}

function partsOf (playlist: PlaylistFile): PlaylistPart[] {
  const { length } = playlist.entries
  return Array.from({ length: Math.max(1, Math.ceil(length / linesAtATime)) }, (_, index) => {
    const from = index * linesAtATime
    const end = from + linesAtATime
    return { ...playlist, entries: playlist.entries.slice(from, end), from, hasMore: end < length }
  })
}
