import type { CatalogueTrack } from '../catalogue/catalogue-track.ts'
import { idOf, plainName } from '../scan/identify.ts'
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
export function buildPlaylists (root: string, files: readonly PlaylistFile[], tracks: readonly CatalogueTrack[]): CataloguePlaylist[] {
  const finder = new PathFinder(root, tracks.flatMap(track => track.paths.map(path => [path, track] as const)))
  const made = files.map(({ path, name, entries, mtimeMs }): CataloguePlaylist => {
    const found = entries.flatMap(entry => finder.find(path, entry) ?? [])
    const genres = groupByGenre(found).map(({ name }) => name)
    return { id: idOf('playlist', path), name, description: '', tracks: found, genres, made: true, updatedAt: mtimeMs }
  })
  const genres = groupByGenre(tracks).map(({ key, name, tracks }): CataloguePlaylist => {
    const updatedAt = tracks.reduce((latest, { added }) => Math.max(latest, added), 0)
    return { id: idOf('genre', key), name, description: `Every track of the genre ${name}`, tracks, genres: [name], made: false, updatedAt }
  })
  return [...made.sort((a, b) => compareNames(a.name, b.name)), ...genres]
}

/** The tracks of each genre, the most frequent genre first; the first spelling counts. */
function groupByGenre (tracks: readonly CatalogueTrack[]): { key: string, name: string, tracks: CatalogueTrack[] }[] {
  const groups = new Map<string, { key: string, name: string, tracks: CatalogueTrack[] }>()
  for (const track of tracks) {
    for (const name of track.files[0]!.genres) {
      const { key } = categoryOf(name)
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { key, name, tracks: [track] })
      else if (group.tracks.at(-1) !== track) group.tracks.push(track)
    }
  }
  return [...groups.values()].sort((a, b) => b.tracks.length - a.tracks.length || compareNames(a.name, b.name))
}
