import { extras } from '../../../schemas/extras.ts'
import type { Album, AlbumDetail, Artist, ArtistDetail, Track } from '../../../schemas/index.ts'
import type { LibraryItems, LibraryKind } from '../../contract/source-library.ts'
import { isNamed, numberTracks, withoutFavorite } from '../../library/internal.ts'
import { readWhole } from '../../async/read-whole.ts'
import { libraryOf, placeFor, readItems, type Call } from '../call.ts'
import { everyPage } from '../../async/every-page.ts'
import { tracksById as findTracks } from '../../source/index.ts'
import { readId } from '../ids.ts'
import type { RestSession } from '../session.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { notFound } from '../../text/not-found.ts'

/** The maximum number of items that are read page by page, in case a source never ends a list. */
export const limits = { items: 100_000 }

/** The maximum number of tracks of an artist that a call may request. */
const mostTracks = 1000

const missing = (kind: string) => new SubsonicError(70, notFound(kind))

/** Returns an item of the source's library by id; `undefined` without a library. */
export async function itemOf<K extends LibraryKind> (
  session: RestSession, kind: K, id: string
): Promise<LibraryItems[K] | undefined> {
  return (await (await session.library())?.items(kind, [id]))?.[0]
}

/** @throws SubsonicError 70 */
export async function findTrack ({ session }: Call, id: string): Promise<Track> {
  const track = await session.read('getTrackDetail', id) ?? await itemOf(session, 'tracks', id) ??
    session.account.items.tracks.get(id)
  if (track === undefined) throw missing('track')
  return track
}

/**
 * Returns an album with its tracks, from the library if the source has no album details.
 *
 * @throws SubsonicError 70
 */
export async function findAlbum (call: Call, id: string): Promise<AlbumDetail> {
  const { session } = call
  const detail = await readWhole(trackLimit => session.read('getAlbumDetail', id, trackLimit))
  if (detail !== undefined) {
    session.account.items.noteWhole(id, detail.tracks)
    return { ...detail, tracks: [...numberTracks(detail.tracks)] }
  }
  const [album] = await readItems(call, 'albums', [id])
  if (album === undefined) throw missing('album')
  const ids = await (await libraryOf(call)).ids({ kind: 'tracks', album: id })
  return { ...album, tracks: (await readItems(call, 'tracks', ids)).filter(track => track !== undefined) }
}

/**
 * Returns an artist without tracks.
 *
 * @throws SubsonicError 70
 */
export async function findArtist (call: Call, id: string): Promise<ArtistDetail> {
  const detail = await call.session.read('getArtistDetail', id, 0)
  if (detail !== undefined) return detail
  const [artist] = await readItems(call, 'artists', [id])
  if (artist === undefined) throw missing('artist')
  return { ...artist, tracks: [] }
}

/**
 * Returns all albums of an artist. Without an operation for them, they are collected from the artist's tracks; without
 * artist details, from the library.
 */
export async function albumsOf (call: Call, artist: Artist): Promise<readonly Album[]> {
  const { session } = call
  const listed = await everyPage(limits.items, 100, (offset, limit) =>
    session.read('getArtistAlbums', artist.id, offset, limit))
  if (listed !== undefined) return listed
  const detail = await session.read('getArtistDetail', artist.id, mostTracks)
  if (detail === undefined) {
    const ids = await (await libraryOf(call)).ids({ kind: 'albums', artist: artist.id })
    return (await readItems(call, 'albums', ids)).filter(album => album !== undefined)
  }
  const albums = new Map(detail.tracks.map(({ album }) => [album.id, album]))
  return [...albums.values()].filter(isNamed)
}

/** Returns the most popular tracks of an artist; `undefined` if the source cannot list them. */
export async function tracksOf ({ session }: Call, artistId: string, count: number): Promise<Track[] | undefined> {
  const listed = await everyPage(count, 100, (offset, limit) =>
    session.read('getArtistTracks', artistId, 'hot', offset, limit))
  if (listed !== undefined) return listed
  const detail = await session.read('getArtistDetail', artistId, Math.min(count, mostTracks))
  return detail?.tracks.slice(0, count)
}

/**
 * Returns the artist of an album, artist or track id.
 *
 * @throws SubsonicError 70
 */
export async function artistBehind (call: Call, text: string): Promise<Artist | undefined> {
  const { kind, id } = readId(text)
  if (kind === 'artist') return findArtist(call, id)
  if (kind === 'track') return (await findTrack(call, id)).artists.find(isNamed)
  if (kind !== 'album') throw missing('artist')
  const album = await findAlbum(call, id)
  const known = album.artist ?? album[extras]?.artists?.[0] ?? call.session.account.items.artistOf(album)
  return known ?? album.tracks[0]?.artists.find(isNamed)
}

/** The maximum number of tracks that are requested one by one from a source without a library. */
const mostOneByOne = 500

/**
 * Returns tracks by their ids, with one request if the source has a library. Missing tracks are left out. Without a
 * library, most tracks are cached from when they were shown.
 *
 * @param calls the maximum number of adapter calls for single tracks
 */
export async function tracksById (
  call: Call, ids: readonly string[], calls = mostOneByOne
): Promise<ReadonlyMap<string, Track>> {
  const { session } = call
  await placeFor(call, ids.length)
  const each = [...new Set(ids)]
  if (await session.library() !== undefined) return findTracks(session, each)
  const { items } = session.account
  const isListed = session.has('userFavoriteTracks')
  const known = new Map(each.map(id => [id, items.tracks.get(id)]))
  const read = await findTracks(session, each.filter(id => known.get(id) === undefined).slice(0, calls))
  for (const track of read.values()) items.noteTrack(track)
  return new Map(each.flatMap(id => {
    const shown = known.get(id)
    const track = read.get(id) ?? (shown && isListed ? withoutFavorite(shown) : shown)
    return track === undefined ? [] : [[id, track]]
  }))
}
