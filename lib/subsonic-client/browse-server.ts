import type { Album, AlbumDetail, ArtistDetail, Track } from '../../schemas/index.ts'
import { NotFoundError } from '../contract/errors.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { pageOf, pageOfMore } from './pages.ts'
import { namePrefix, songsOf } from './song-fields.ts'
import type { RemoteSource } from './subsonic-adapter.ts'
import { listOf, numberOf, objectOf, textOf, unlessGone, type Given } from './tolerate.ts'
import { notFound } from '../text/not-found.ts'

/** The default number of tracks in a detail, if the server decides it. */
const tracksByDefault = 50
const maxWait = 3000

/**
 * Returns songs of albums in order, requesting only the albums that the page needs. Deleted albums are skipped.
 *
 * @param isMeant whether all songs of an album count, or a song of another album
 */
export async function songsOfAlbums (
  source: RemoteSource,
  albums: readonly Given[],
  offset: number,
  limit: number,
  isMeant: (item: Given) => boolean = () => true
): Promise<Given[]> {
  const songs: Given[] = []
  let before = 0
  for (const album of albums) {
    if (before >= offset + limit) break
    const isWhole = isMeant(album)
    const count = isWhole ? numberOf(album.songCount) ?? 0 : 0
    // Skipped songs are counted, not read.
    if (count > 0 && before + count <= offset) {
      before += count
      continue
    }
    const detail = await unlessGone(source.find('getAlbum', { id: textOf(album.id) }))
    const here = songsOf(objectOf(detail?.album)).filter(song => isWhole || isMeant(song))
    songs.push(...here.slice(Math.max(0, offset - before)))
    before += here.length
  }
  return songs.slice(0, limit)
}

/**
 * Returns a function that checks whether an album or song is by an artist. An item without artist counts as such. One
 * string may contain several artists: Ann feat. Bob.
 */
function isBy (artist: Given): (item: Given) => boolean {
  const [id, name] = [textOf(artist.id), textOf(artist.name).toLowerCase()]
  return item => {
    const named = [{ id: item.artistId, name: item.artist }, ...listOf(item.artists)]
      .filter(({ id, name }) => textOf(id) !== '' || textOf(name) !== '')
    return named.length === 0 ||
      named.some(other => textOf(other.id) === id || textOf(other.name).toLowerCase().includes(name))
  }
}

/** Returns the id of an artist. An artist that songs only name is found by its name. */
export async function artistIdOf (source: RemoteSource, id: string): Promise<string> {
  if (!id.startsWith(namePrefix)) return id
  const name = id.slice(namePrefix.length)
  const { searchResult3 } = await source.ask('search3', { query: name, artistCount: 20, albumCount: 0, songCount: 0 })
  const wanted = name.toLowerCase()
  const found = listOf(objectOf(searchResult3).artist).find(artist => textOf(artist.name).toLowerCase() === wanted)
  if (found === undefined) throw new NotFoundError('Artist not found')
  return textOf(found.id)
}

async function artistOf (source: RemoteSource, id: string): Promise<Given> {
  return existing((await source.find('getArtist', { id: await artistIdOf(source, id) })).artist, 'artist')
}

/** @throws NotFoundError if the response lacks the item */
function existing (item: unknown, kind: string): Given {
  if (Object.keys(objectOf(item)).length === 0) throw new NotFoundError(notFound(kind))
  return item as Given
}

const newestFirst = (source: RemoteSource, artist: Given): Given[] =>
  listOf(artist.album).sort((a, b) => (source.album(b).publishTime ?? 0) - (source.album(a).publishTime ?? 0))

/**
 * Returns texts about an item. Servers may load them from elsewhere, so the wait is short, and failures are ignored.
 */
async function about (source: RemoteSource, method: string, member: string, id: string): Promise<Given> {
  try {
    const found = await withTimeout(() => source.tryTo(method, { id }, true), { timeout: maxWait })
    return objectOf(found?.[member])
  } catch {
    return {}
  }
}

/** Returns the most popular songs of an artist, else the songs of its albums, newest first. */
async function topSongs (
  source: RemoteSource, artist: Given, order: string, offset: number, limit: number
): Promise<Given[]> {
  if (order === 'hot') {
    // Some servers respond with "not found" if they have none.
    const query = { artist: textOf(artist.name), count: offset + limit }
    const top = await unlessGone(source.tryTo('getTopSongs', query))
    const songs = listOf(objectOf(top?.topSongs).song)
    if (songs.length > 0) return songs.slice(offset)
  }
  return songsOfAlbums(source, newestFirst(source, artist), offset, limit, isBy(artist))
}

/** Returns whether clients may receive the address: some servers return a URL of their API that contains the login. */
const isPublicPicture = (url: string) => /^https?:/.test(url) && !/^[^?#]*\/rest\//.test(url)

/** Methods that return details of items. */
export function browseServer (source: RemoteSource) {
  return {
    async getTrackDetail (id) {
      const song = await source.song(id, true)
      const [track] = await source.tracks(song)
      if (track === undefined) throw new NotFoundError('Track not found')
      return track
    },

    async getAlbumDetail (id, trackLimit): Promise<AlbumDetail> {
      const album = existing((await source.find('getAlbum', { id })).album, 'album')
      const songs = songsOf(album)
      const [tracks, { notes }] = await Promise.all([
        source.tracks(trackLimit === -1 ? songs : songs.slice(0, trackLimit)),
        about(source, 'getAlbumInfo2', 'albumInfo', id)
      ])
      const name = textOf(album.artist)
      const artistId = textOf(album.artistId)
      return {
        ...source.album({ songCount: songs.length, ...album, id }),
        ...(textOf(notes) && { description: textOf(notes) }),
        ...(artistId && name && { artist: { id: artistId, name } }),
        tracks
      }
    },

    async getArtistDetail (id, trackLimit): Promise<ArtistDetail> {
      const artist = await artistOf(source, id)
      const realId = textOf(artist.id)
      const limit = trackLimit === -1 ? tracksByDefault : trackLimit
      const [{ biography, largeImageUrl, mediumImageUrl }, tracks] = await Promise.all([
        about(source, 'getArtistInfo2', 'artistInfo2', realId),
        limit === 0 ? [] as Track[] : topSongs(source, artist, 'hot', 0, limit).then(songs => source.tracks(songs))
      ])
      const avatarUrl = [largeImageUrl, mediumImageUrl].map(textOf).find(isPublicPicture)
      return {
        ...source.artist(artist),
        ...(textOf(biography) && { description: textOf(biography) }),
        ...(avatarUrl !== undefined && { avatarUrl }),
        tracks: tracks.slice(0, limit)
      }
    },

    async getArtistTracks (id, order, offset, limit) {
      const songs = await topSongs(source, await artistOf(source, id), order, offset, limit + 1)
      return pageOfMore(songs, offset, limit, given => source.tracks(given))
    },

    async getArtistAlbums (id, offset, limit) {
      const albums: Album[] = source.albums((await artistOf(source, id)).album)
      return pageOf(albums, offset, limit)
    },

    async getTopArtists () {
      const { index } = objectOf((await source.ask('getArtists')).artists)
      const artists = listOf(index).flatMap(({ artist }) => listOf(artist))
      return source.artists(artists.sort((a, b) => (numberOf(b.albumCount) ?? 0) - (numberOf(a.albumCount) ?? 0)))
    },

    async getSimilarTracks (id) {
      const similar = await unlessGone(source.tryTo('getSimilarSongs', { id, count: 50 }, true))
      const songs = listOf(objectOf(similar?.similarSongs).song)
      if (songs.length > 0) return source.tracks(songs)
      const genre = textOf((await source.song(id)).genre)
      if (genre === '') return []
      const ofGenre = await unlessGone(source.tryTo('getSongsByGenre', { genre, count: 50 }))
      return (await source.tracks(objectOf(ofGenre?.songsByGenre).song)).filter(track => track.id !== id)
    }
  } satisfies SourceAdapter
}
