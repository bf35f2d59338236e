import type { CatalogueTrack } from '../catalogue/catalogue-track.ts'
import { idOf, plainName } from '../scan/identify.ts'
import type { Pause } from '../take-turns.ts'
import { compareNames } from '../text/compare-names.ts'
import { PathFinder } from './path-finder.ts'
import type { PlaylistFile } from './read-playlist.ts'

export interface CataloguePlaylist {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tracks: readonly CatalogueTrack[]
  /** Names of genres, the most frequent first. */
  readonly genres: readonly string[]
  /** Whether somebody made it: a file, no genre. */
  readonly made: boolean
  /** Unix time in milliseconds. */
  readonly updatedAt: number
}

/** The category of playlist files; genres have their own. */
export const filesCategory = { key: 'files', label: 'Playlist files' }

/** The category of a genre. */
export const categoryOf = (genre: string) => ({ key: `genre:${plainName(genre)}`, label: genre })

/** The playlists: those that somebody made, by name, then one for each genre, the largest first. */
export async function buildPlaylists (
  root: string, files: readonly PlaylistFile[], tracks: readonly CatalogueTrack[], pause: Pause
): Promise<CataloguePlaylist[]> {
  const made: CataloguePlaylist[] = []
  const finder = new PathFinder<CatalogueTrack>(root)
  for (const track of files.length > 0 ? tracks : []) {
    for (const path of track.paths) finder.add(path, track)
    await pause()
  }
  for (const { path, name, entries, mtimeMs } of files) {
    const found: CatalogueTrack[] = []
    for (const entry of entries) {
      const track = finder.find(path, entry)
      if (track !== undefined) found.push(track)
      await pause()
    }
    const genres = (await groupByGenre(found, pause)).map(({ name }) => name)
    const id = idOf('playlist', path)
    made.push({ id, name, description: '', tracks: found, genres, made: true, updatedAt: mtimeMs })
  }
  const genres = (await groupByGenre(tracks, pause)).map(({ key, name, tracks }): CataloguePlaylist => {
    const updatedAt = tracks.reduce((latest, { added }) => Math.max(latest, added), 0)
    const description = `Every track of the genre ${name}`
    return { id: idOf('genre', key), name, description, tracks, genres: [name], made: false, updatedAt }
  })
  return [...made.sort((a, b) => compareNames(a.name, b.name)), ...genres]
}

/** The tracks of each genre, the most frequent genre first; the first spelling counts. */
async function groupByGenre (
  tracks: readonly CatalogueTrack[], pause: Pause
): Promise<{ key: string, name: string, tracks: CatalogueTrack[] }[]> {
  const groups = new Map<string, { key: string, name: string, tracks: CatalogueTrack[] }>()
  for (const track of tracks) {
    for (const name of track.files[0]!.genres) {
      const { key } = categoryOf(name)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { key, name, tracks: [track] })
      else if (group.tracks.at(-1) !== track) group.tracks.push(track)
    }
    await pause()
  }
  return [...groups.values()].sort((a, b) => b.tracks.length - a.tracks.length || compareNames(a.name, b.name))
}
