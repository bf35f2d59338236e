import { extras } from '../../schemas/extras.ts'
import type { Album, Artist, Track } from '../../schemas/index.ts'
import { NameIndex } from '../text/name-index.ts'

/** The items of a library. */
export interface LibraryLists {
  readonly artists: readonly Artist[]
  readonly albums: readonly Album[]
  /** Tracks of one album in album order. */
  readonly tracks: readonly Track[]
}

/** Returns whether an item has an id and a name. Artists and albums of tracks may lack them. */
export const isNamed = <T extends { id: string, name: string }>(item: T | undefined): item is T =>
  Boolean(item?.id && item.name)

/** Returns whether an artist of a track is the artist of its album, judged by name. */
export const hasArtist = ({ artistName }: Pick<Album, 'artistName'>, { name }: Artist): boolean =>
  !artistName || artistName === name

export function grouped<T> (items: Iterable<readonly [key: string, item: T]>): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const [key, item] of items) groups.get(key)?.push(item) ?? groups.set(key, [item])
  return groups
}

/** Returns artists by name. The first artist of a name wins. */
function nameIndex (artists: readonly (Artist | undefined)[]): NameIndex<Artist> {
  const index = new NameIndex<Artist>()
  for (const artist of artists.toReversed()) if (isNamed(artist)) index.set(artist.name, artist)
  return index
}

/**
 * Fills in missing properties of items from other items: artist, length and number of tracks of albums, number of
 * albums and roles of artists, numbers of tracks.
 *
 * @param isWhole whether the lists contain all tracks; otherwise an album is complete if its number of tracks is known
 */
export function completeItems ({ artists, albums, tracks }: LibraryLists, isWhole: boolean): LibraryLists {
  const named = nameIndex([...artists, ...tracks.map(({ artists: [artist], album }) =>
    artist && hasArtist(album, artist) ? artist : undefined)])
  const byAlbum = grouped(tracks.map(track => [track.album.id, track] as const))
  const known = albums.map(album => completeAlbum(album, byAlbum.get(album.id) ?? [], named, isWhole))
  const own = new Map<string, number>()
  for (const { [extras]: more } of known) {
    const [artist] = more?.artists ?? []
    if (artist !== undefined) own.set(artist.id, (own.get(artist.id) ?? 0) + 1)
  }
  const playing = new Set(tracks.flatMap(({ artists }) => artists.map(({ id }) => id)))
  return {
    artists: artists.map(artist => completeArtist(artist, own.get(artist.id) ?? 0, playing.has(artist.id))),
    albums: known,
    tracks: [...byAlbum.values()].flatMap(numberTracks)
  }
}

function completeAlbum (
  album: Album, tracks: readonly Track[], named: NameIndex<Artist>, isWhole: boolean
): Album {
  const { artistName, trackCount, [extras]: given } = album
  const playing = tracks.map(({ artists: [artist] }) => artist)
    .find(artist => isNamed(artist) && hasArtist(album, artist))
  const artist = playing ?? (artistName ? named.get(artistName) : undefined)
  const isKnown = tracks.length > 0 && (isWhole || tracks.length === trackCount)
  const milliseconds = tracks.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const more = {
    ...artist && { artists: [{ id: artist.id, name: artistName || artist.name }] },
    ...isKnown && { duration: Math.round(milliseconds / 1000) },
    ...given
  }
  return {
    ...album,
    ...isKnown && { trackCount: tracks.length },
    ...(given !== undefined || Object.keys(more).length > 0) && { [extras]: more }
  }
}

function completeArtist (artist: Artist, albumCount: number, plays: boolean): Artist {
  const { roles = [], ...given } = artist[extras] ?? {}
  const found = [...albumCount > 0 ? ['albumartist'] : [], ...plays ? ['artist'] : []]
  return { ...artist, [extras]: { albumCount, ...given, roles: [...new Set([...found, ...roles])] } }
}

/** Numbers the tracks of an album, unless their extras contain numbers. Empty extras mean that no number is known. */
export const numberTracks = (tracks: readonly Track[]): readonly Track[] => tracks.map((track, index) => {
  const more = track[extras]
  const isTold = more !== undefined && (more.track !== undefined || Object.keys(more).length === 0)
  return isTold ? track : { ...track, [extras]: { discNumber: 1, track: index + 1, ...more } }
})
