import { isSame, type FoundFile } from '../scan/walk-folder.ts'
import { readPlaylist, type PlaylistFile } from './read-playlist.ts'

/**
 * Reads the playlist files that are new or have changed.
 *
 * @param known those that were read before, by their paths
 * @param onUnreadable is told of each that cannot be read, and why
 */
export async function readPlaylists (
  root: string,
  found: readonly FoundFile[],
  known: ReadonlyMap<string, PlaylistFile>,
  onUnreadable: (path: string, error: unknown) => void
): Promise<Map<string, PlaylistFile>> {
  const playlists = new Map<string, PlaylistFile>()
  for (const file of found) {
    const before = known.get(file.path)
    try {
      playlists.set(file.path, before !== undefined && isSame(file, before) ? before : await readPlaylist(root, file))
    } catch (error) {
      onUnreadable(file.path, error)
    }
  }
  return playlists
}
