import type { IndexDatabase } from '../database/index-database.ts'
import { joinPath } from '../text/paths.ts'

/** The maximum number of playlists that a message names. */
const mostNames = 5

/** Reports lines of playlist files without a track: details for the log, and a message for the page. */
export function reportMissingEntries (
  db: IndexDatabase, warn: (details: object, event: string, message: string) => void
): void {
  const lists = db.all<{ folder: string, file: string, lines: number }>(`
    SELECT playlist.folder, playlist.file, count(*) AS lines
    FROM entry JOIN playlist ON playlist.id = entry.playlist WHERE entry.track IS NULL
    GROUP BY playlist.id ORDER BY playlist.folder, playlist.file LIMIT ${mostNames + 1}`)
  if (lists.length === 0) return
  const named = lists.slice(0, mostNames).map(({ folder, file, lines }) => `${lines} of ${joinPath(folder, file)}`)
  const more = lists.length > mostNames ? ' and others' : ''
  const playlists = `${named.join(', ')}${more}`
  warn({ lines: playlists }, 'playlist entries missing', `Lines of playlists that lead to no track: ${playlists}`)
}
