import type { CatalogueTrack } from '../catalogue/build-catalogue.ts'
import { compareNames, tagsOf } from '../catalogue/build-catalogue.ts'
import { idOf, plainName } from '../scan/identify.ts'
import { PathFinder, type PlaylistFile } from './read-playlist.ts'

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
    return { id: idOf('playlist', path), name, description: '', tracks: found, genres: genresOf(found), made: true, updatedAt: mtimeMs }
  })
  const genres = genresOf(tracks).map((name): CataloguePlaylist => {
    const { key } = categoryOf(name)
    const same = tracks.filter(track => tagsOf(track).genres.some(genre => categoryOf(genre).key === key))
    const updatedAt = Math.max(...same.map(track => track.added))
    return { id: idOf('genre', key), name, description: `Every track of the genre ${name}`, tracks: same, genres: [name], made: false, updatedAt }
  })
  return [...made.sort((a, b) => compareNames(a.name, b.name)), ...genres]
}

/** The genres of tracks, the most frequent first; the first spelling counts. */
function genresOf (tracks: readonly CatalogueTrack[]): string[] {
  const counts = new Map<string, { name: string, count: number }>()
  for (const genre of tracks.flatMap(track => tagsOf(track).genres)) {
    const { key } = categoryOf(genre)
    const seen = counts.get(key)
    if (seen === undefined) counts.set(key, { name: genre, count: 1 })
    else seen.count++
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || compareNames(a.name, b.name)).map(({ name }) => name)
}
