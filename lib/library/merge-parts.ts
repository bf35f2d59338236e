import { extras } from '../../schemas/extras.ts'
import type { Album, Artist, Track } from '../../schemas/index.ts'
import { isNamed, type LibraryLists } from './complete-items.ts'

/** A part of a library, read by one call. */
export type LibraryPart = Partial<LibraryLists>

type ListName = keyof LibraryLists

/** Returns an item without its favourite flag. */
export function withoutFavorite<T extends { favorite?: boolean | undefined }> (item: T): T {
  if (item.favorite === undefined) return item
  const { favorite: _old, ...others } = item
  return others as T
}

const isKnown = (value: unknown) => value !== undefined && value !== null && value !== ''

/**
 * Merges two descriptions of an item: the first is usually more complete, and the other fills in missing properties.
 */
const merged = <T extends Artist | Album>(first: T, other: T): T => ({
  ...other,
  ...first,
  ...Object.fromEntries(Object.entries(other).filter(([name]) => !isKnown(first[name as keyof T]))),
  ...(first[extras] ?? other[extras]) && { [extras]: { ...other[extras], ...first[extras] } }
})

/**
 * Merges the items of parts, each id once.
 *
 * @param listed kinds whose favourites the source lists; the flags of their items would become outdated
 * @param isWhole whether artists and albums of tracks are left out
 */
export function mergeParts (
  parts: Iterable<LibraryPart>, listed: ReadonlySet<ListName>, isWhole = false
): LibraryLists {
  const artists = new Map<string, Artist>()
  const albums = new Map<string, Album>()
  const tracks = new Map<string, Track>()
  const add = <T extends Artist | Album>(items: Map<string, T>, item: T) => {
    if (!isNamed(item)) return
    const known = items.get(item.id)
    items.set(item.id, known === undefined ? item : merged(known, item))
  }
  for (const part of parts) {
    for (const artist of part.artists ?? []) add(artists, artist)
    for (const album of part.albums ?? []) add(albums, album)
    for (const track of part.tracks ?? []) {
      if (!tracks.has(track.id)) tracks.set(track.id, track)
      if (isWhole) continue
      add(albums, track.album)
      for (const artist of track.artists) add(artists, artist)
    }
  }
  const shown = <T extends { favorite?: boolean | undefined }>(kind: ListName, items: Map<string, T>): T[] =>
    listed.has(kind) ? Array.from(items.values(), withoutFavorite) : [...items.values()]
  return { artists: shown('artists', artists), albums: shown('albums', albums), tracks: shown('tracks', tracks) }
}

/** Limits each kind to its first items, and returns the kinds that were cut. */
export function cut (
  lists: LibraryLists, limits: Readonly<Record<ListName, number>>
): { lists: LibraryLists, over: ListName[] } {
  const over = (['artists', 'albums', 'tracks'] as const).filter(kind => lists[kind].length > limits[kind])
  const { artists, albums, tracks } = lists
  return {
    over,
    lists: {
      artists: artists.slice(0, limits.artists),
      albums: albums.slice(0, limits.albums),
      tracks: tracks.slice(0, limits.tracks)
    }
  }
}
