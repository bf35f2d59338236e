import type { IndexDatabase } from '../database/index-database.ts'
import { joinPath } from '../text/paths.ts'

/** The maximum number of playlists that a message names. */
const mostNames = 5

/** Returns a warning about lines of playlist files without a track; an empty array if there are none. */
export function missingEntries (db: IndexDatabase): string[] {
  const lists = db.all<{ folder: string, file: string, lines: number }>(`
    SELECT playlist.folder, playlist.file, count(*) AS lines
    FROM entry JOIN playlist ON playlist.id = entry.playlist WHERE entry.track IS NULL
    GROUP BY playlist.id ORDER BY playlist.folder, playlist.file LIMIT ${mostNames + 1}`)
  if (lists.length === 0) return []
  const named = lists.slice(0, mostNames).map(({ folder, file, lines }) => `${lines} of ${joinPath(folder, file)}`)
  const more = lists.length > mostNames ? ' and others' : ''
  return [`Lines of playlists that lead to no track: ${named.join(', ')}${more}`]
}
