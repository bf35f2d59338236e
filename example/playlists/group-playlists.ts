import type { PlaylistFile } from './read-playlist.ts'

/** A playlist file, or some lines of a long one. */
export interface PlaylistPart extends PlaylistFile {
  /** Lines before its first one; default: none. */
  readonly from?: number
  /** Whether other parts follow. */
  readonly hasMore?: boolean
}

/** Lines that become rows in one transaction. */
const linesAtATime = 1000

/** Playlist files as they become rows: short ones together, a long one in parts. Without any, one empty group. */
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
