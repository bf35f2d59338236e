import type { Album, AlbumDetail, Artist, ArtistDetail, Track } from '../../../schemas/index.ts'
import { forEachLimited } from '../../async/limit-concurrency.ts'
import { isNamed } from '../account/item-index.ts'
import { withoutFavorite } from '../account/listing-builder.ts'
import { readWhole } from '../../source/index.ts'
import { placeFor, type Call } from '../call.ts'
import { everyPage } from '../every-page.ts'
import { readId } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'

/** Most items that a source is asked for page by page, in case that it never ends. */
export const most = { items: 100_000 }

/** Most tracks of an artist that can be asked for by a number. */
const mostTracks = 1000

const missing = (kind: string) => new SubsonicError(70, `There is no such ${kind}`)

/** @throws SubsonicError 70 */
export async function findTrack ({ session }: Call, id: string): Promise<Track> {
  const { items, library } = session.account
  const track = await session.read('getTrackDetail', id) ?? (await library.tracksByIds(session, [id]))[0] ??
    items.tracks.get(id)
  if (track === undefined) throw missing('track')
  return track
}

/**
 * An album with its tracks; from the library where the source has no details.
 *
 * @throws SubsonicError 70
 */
export async function findAlbum ({ session }: Call, id: string): Promise<AlbumDetail> {
  const detail = await readWhole(trackLimit => session.read('getAlbumDetail', id, trackLimit))
  if (detail !== undefined) {
    session.account.items.noteWhole(id, detail.tracks)
    return detail
  }
  const { library } = session.account
  const { albums, tracks } = await library.listing(session)
  const album = albums.find(album => album.id === id)
  if (album === undefined) throw missing('album')
  return { ...album, tracks: [...await library.tracks(session, tracks.filter(track => track.album.id === id))] }
}

/**
 * An artist without tracks.
 *
 * @throws SubsonicError 70
 */
export async function findArtist ({ session }: Call, id: string): Promise<ArtistDetail> {
  const detail = await session.read('getArtistDetail', id, 0)
  if (detail !== undefined) return detail
  const artist = (await session.account.library.listing(session)).artists.find(artist => artist.id === id)
  if (artist === undefined) throw missing('artist')
  return { ...artist, tracks: [] }
}

/**
 * All albums of an artist; from its tracks where the source has no list of them, from the library where it has no
 * details either.
 */
export async function albumsOf ({ session }: Call, artist: Artist): Promise<readonly Album[]> {
  const listed = await everyPage(most.items, 100, (offset, limit) =>
    session.read('getArtistAlbums', artist.id, offset, limit))
  if (listed !== undefined) return listed
  const detail = await session.read('getArtistDetail', artist.id, mostTracks)
  if (detail === undefined) return (await session.account.library.listing(session)).albumsOf(artist.id)
  const albums = new Map(detail.tracks.map(({ album }) => [album.id, album]))
  return [...albums.values()].filter(isNamed)
}

/** The best known tracks of an artist; `undefined` where the source has no list of them. */
export async function tracksOf ({ session }: Call, artistId: string, count: number): Promise<Track[] | undefined> {
  const listed = await everyPage(count, 100, (offset, limit) =>
    session.read('getArtistTracks', artistId, 'hot', offset, limit))
  if (listed !== undefined) return listed
  const detail = await session.read('getArtistDetail', artistId, Math.min(count, mostTracks))
  return detail?.tracks.slice(0, count)
}

/**
 * The album or the artist that an id of an album, an artist or a track leads to.
 *
 * @throws SubsonicError 70
 */
export async function artistBehind (call: Call, text: string): Promise<Artist | undefined> {
  const { kind, id } = readId(text)
  if (kind === 'artist') return findArtist(call, id)
  if (kind === 'track') return (await findTrack(call, id)).artists.find(isNamed)
  if (kind !== 'album') throw missing('artist')
  const album = await findAlbum(call, id)
  return album.artist ?? call.session.account.items.artistOf(album) ?? album.tracks[0]?.artists.find(isNamed)
}

/**
 * Tracks by their ids; what cannot be had is left out. Most are known from when they were shown.
 *
 * @param calls of the adapter at most, for those that it is asked for one by one
 */
export async function tracksById (
  call: Call, ids: readonly string[], calls = Infinity
): Promise<Map<string, Track>> {
  const { session } = call
  await placeFor(call, ids.length)
  const { items, library } = session.account
  const isListed = session.listed.has('tracks')
  const current = call.options.currentIds?.('track', [...new Set(ids)])
  const asked = new Set(ids.map(id => current?.get(id) ?? id))
  const read = new Map((await library.tracksByIds(session, [...asked])).map(track => [track.id, track]))
  const found = new Map<string, Track | undefined>(ids.map(id => {
    const known = read.get(current?.get(id) ?? id) ?? items.tracks.get(id)
    return [id, known !== undefined && isListed ? withoutFavorite(known) : known]
  }))
  // A source that reads them by their ids has no others.
  const most = call.options.tracksByIds === undefined ? calls : 0
  const unknown = [...found].flatMap(([id, track]) => track === undefined ? [id] : []).slice(0, most)
  await forEachLimited(unknown, 4, async id => {
    const track = await session.find('getTrackDetail', id)
    found.set(id, track)
    if (track !== undefined) items.noteTrack(track)
  })
  return new Map([...found].filter((entry): entry is [string, Track] => entry[1] !== undefined))
}

/** In another order each time. */
export function shuffle<T> (items: readonly T[]): T[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1))
    const item = shuffled[last]!
    shuffled[last] = shuffled[other]!
    shuffled[other] = item
  }
  return shuffled
}
