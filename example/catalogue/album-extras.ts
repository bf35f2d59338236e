import type { AlbumExtras } from 'fastify-source-origin'
import { withoutEmpty } from '../scan/clean-tags.ts'
import type { AlbumTags } from '../scan/read-extras.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { splitPath } from '../text/paths.ts'
import type { TrackData } from './track-rows.ts'

/**
 * Returns the extras of an album from the tags of its tracks: the tags of the first track, the disc titles from the
 * first track of each disc, and whether any track is explicit.
 *
 * @param first its first track
 * @returns JSON, null without extras
 */
export function albumExtras (db: IndexDatabase, album: number, first: TrackData): string | null {
  const { discTitle, ...tags } = tagsOf(db, first)
  const { status } = db.get<{ status: AlbumExtras['explicitStatus'] | null }>(`
    SELECT max(data ->> '$.extras.explicitStatus') AS status FROM track
    WHERE album = ? AND data ->> '$.extras.explicitStatus' IS NOT NULL`, album)!
  const extras = withoutEmpty<AlbumExtras>({
    ...tags,
    displayArtist: first.extras?.displayAlbumArtist,
    genres: first.genres.length > 1 ? [...first.genres] : [],
    explicitStatus: status ?? undefined,
    discTitles: discTitles(db, album)
  })
  return extras === undefined ? null : JSON.stringify(extras)
}

function discTitles (db: IndexDatabase, album: number): { disc: number, title: string }[] {
  const behind = (disc: number) => db.get<{ disc: number, data: string }>(`
    SELECT disc, data FROM track WHERE album = ? AND disc > ? ORDER BY disc, place, sort, number LIMIT 1`, album, disc)
  const titles = []
  for (let first = behind(0); first !== undefined; first = behind(first.disc)) {
    const { discTitle } = tagsOf(db, JSON.parse(first.data))
    if (discTitle !== undefined) titles.push({ disc: first.disc, title: discTitle })
  }
  return titles
}

function tagsOf (db: IndexDatabase, { files: [best], albumTags }: TrackData): AlbumTags {
  if (albumTags === undefined) return {}
  const { told } = db.get<{ told: string }>(
    "SELECT tags ->> '$.albumExtras' AS told FROM file WHERE folder = ? AND name = ?", ...splitPath(best!.path))!
  return JSON.parse(told)
}
