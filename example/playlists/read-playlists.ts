import type { FoundFile } from '../scan/walk-folder.ts'
import { readPlaylist, type PlaylistFile } from './read-playlist.ts'

/**
 * Reads playlist files.
 *
 * @param onUnreadable Called with the path and the error of each unreadable file
 */
export async function readPlaylists (
  root: string, found: readonly FoundFile[], onUnreadable: (path: string, error: unknown) => void
): Promise<PlaylistFile[]> {
  const playlists: PlaylistFile[] = []
  for (const file of found) {
    try {
      playlists.push(await readPlaylist(root, file))
    } catch (error) {
      onUnreadable(file.path, error)
    }
  }
  return playlists
}
