import { extras } from '../../../schemas/extras.ts'
import type { Album, Artist, ArtistDetail } from '../../../schemas/index.ts'
import { hasArtist } from '../../library/internal.ts'
import { ignoredArticles, letterOf, withoutArticle } from '../../text/names.ts'
import { itemMapper, libraryOf, readItems, type Call, type Method } from '../call.ts'
import { count, lengthOf } from '../item-mapper.ts'
import { readId, readIdOf, writeId } from '../ids.ts'
import { lastingPictures } from '../server-url.ts'
import { described, type JsonObject } from '../write-xml.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { albumsOf, artistBehind, findAlbum, findArtist, findTrack, itemOf } from './find-items.ts'
import { findPlaylist } from './find-playlist.ts'

/** Returns all artists of the library by name. */
async function allArtists (call: Call): Promise<readonly Artist[]> {
  const ids = await (await libraryOf(call)).ids({ kind: 'artists' })
  return (await readItems(call, 'artists', ids)).filter(artist => artist !== undefined)
}

/** Groups artists by index letter. */
async function indexOf (call: Call, describe: 'artist' | 'artistFolder', since = 0) {
  const lastModified = await (await libraryOf(call)).changedAt
  const artists = lastModified <= since ? [] : await allArtists(call)
  const mapper = await itemMapper(call, { artists })
  const letters = new Map<string, JsonObject[]>()
  for (const artist of artists) {
    await call.session.pause()
    const letter = letterOf(withoutArticle(artist.name))
    const described = mapper[describe](artist)
    letters.get(letter)?.push(described) ?? letters.set(letter, [described])
  }
  return {
    ignoredArticles: ignoredArticles.join(' '),
    lastModified,
    index: [...letters].map(([name, artist]) => ({ name, artist }))
  }
}

const getArtists: Method = async call => ({ artists: await indexOf(call, 'artist') })

const getIndexes: Method = async call => {
  const { index, ...rest } = await indexOf(call, 'artistFolder', call.parameters.integer('ifModifiedSince'))
  return { indexes: { ...rest, shortcut: [], index, child: [] } }
}

const getArtist: Method = async call => {
  const id = readIdOf('artist', call.parameters.required('id'))
  const artist = await findArtist(call, id)
  const albums = await albumsOf(call, artist)
  const mapper = await itemMapper(call, { artists: [artist], albums })
  const { items } = call.session.account
  items.noteAlbumsOf(artist, albums)
  const isOwn = (album: Album) =>
    album[extras]?.artists?.some(artist => artist.id === id) ?? (hasArtist(album, artist) || items.isOwn(album, id))
  const albumCount = albums.filter(isOwn).length
  const album = described(albums, album => mapper.album(album, hasArtist(album, artist) ? artist : undefined))
  return { artist: { ...mapper.artist(pictured(artist)), albumCount, album } }
}

/** Returns an artist with a portrait as its cover if it has no other picture. */
const pictured = (artist: Artist & { avatarUrl?: string | undefined }): Artist => {
  const coverUrl = artist.coverUrl || artist.avatarUrl
  return coverUrl ? { ...artist, coverUrl } : artist
}

const getAlbum: Method = async call => {
  const album = await findAlbum(call, readIdOf('album', call.parameters.required('id')))
  const { tracks, artist } = album
  const mapper = await itemMapper(call, { albums: [album], tracks })
  const totals = { songCount: tracks.length, duration: lengthOf(tracks) }
  return { album: { ...mapper.album(album, artist), ...totals, song: described(tracks, mapper.song) } }
}

const getSong: Method = async call => {
  const track = await findTrack(call, readIdOf('track', call.parameters.required('id')))
  return { song: (await itemMapper(call, { tracks: [track] })).song(track) }
}

const getMusicDirectory: Method = async call => {
  const text = call.parameters.required('id')
  if (text === '1') {
    const artists = await allArtists(call)
    const mapper = await itemMapper(call, { artists })
    const child = described(artists, artist => {
      const { name, ...rest } = mapper.artistFolder(artist)
      return { ...rest, parent: '1', title: name, artist: name, isDir: true }
    })
    return { directory: { id: '1', name: call.options.title, child } }
  }
  const { kind, id } = readId(text)
  if (kind === 'artist') {
    const artist = await findArtist(call, id)
    const albums = await albumsOf(call, artist)
    const mapper = await itemMapper(call, { artists: [artist], albums })
    call.session.account.items.noteAlbumsOf(artist, albums)
    const child = described(albums, mapper.folder)
    return { directory: { id: text, name: artist.name, parent: '1', ...personal(mapper.artistFolder(artist)), child } }
  }
  if (kind === 'album') {
    const album = await findAlbum(call, id)
    const mapper = await itemMapper(call, { albums: [album], tracks: album.tracks })
    const { artistId } = mapper.album(album, album.artist)
    const child = described(album.tracks, mapper.song)
    return { directory: { id: text, name: album.name, parent: artistId, ...personal(mapper.folder(album)), child } }
  }
  if (kind === 'track') throw new SubsonicError(70, 'This is not the id of a folder')
  const { name, tracks } = await findPlaylist(call, kind, id)
  return { directory: { id: text, name, child: described(tracks, (await itemMapper(call, { tracks })).song) } }
}

/** Returns the properties of a folder that belong to the account. */
const personal = ({ starred, userRating, averageRating, playCount }: JsonObject): JsonObject =>
  ({ starred, userRating, averageRating, playCount })

/** Returns the MusicBrainz id of an album or artist, from the library if the details lack extras. */
async function musicBrainzIdOf ({ session }: Call, kind: 'artists' | 'albums', item: Album | Artist) {
  const { musicBrainzId } = item[extras] ?? (await itemOf(session, kind, item.id))?.[extras] ?? {}
  return { musicBrainzId }
}

function images (call: Call, given: string | undefined, id: string) {
  const url = lastingPictures(call)(given, id) ?? ''
  return { smallImageUrl: url, mediumImageUrl: url, largeImageUrl: url }
}

const albumInfo: Method = async call => {
  const { kind, id } = readId(call.parameters.required('id'))
  if (kind !== 'album' && kind !== 'track') throw new SubsonicError(70, 'This is not the id of an album')
  const album = kind === 'album' ? await findAlbum(call, id) : (await findTrack(call, id)).album
  const { description = '', coverUrl } = album
  const ids = await musicBrainzIdOf(call, 'albums', album)
  return { albumInfo: { notes: description, ...ids, ...images(call, coverUrl, writeId('album', album.id)) } }
}

const artistInfo = (member: 'artistInfo' | 'artistInfo2'): Method => async call => {
  const artist: ArtistDetail | Artist | undefined = await artistBehind(call, call.parameters.required('id'))
  const { description = '', avatarUrl, coverUrl }: Partial<ArtistDetail> = artist ?? {}
  const ids = artist && await musicBrainzIdOf(call, 'artists', artist)
  const pictures = images(call, avatarUrl || coverUrl, writeId('artist', artist?.id ?? ''))
  return { [member]: { biography: description, ...ids, ...pictures } }
}

const getGenres: Method = async call => {
  const { genres } = await (await libraryOf(call)).facets('albums')
  const genre = genres.map(({ name, tracks, albums }) =>
    ({ value: name, songCount: count(tracks), albumCount: count(albums) }))
  return { genres: { genre } }
}

export const browseMethods: Readonly<Record<string, Method>> = {
  getArtists,
  getIndexes,
  getArtist,
  getAlbum,
  getSong,
  getMusicDirectory,
  getAlbumInfo: albumInfo,
  getAlbumInfo2: albumInfo,
  getArtistInfo: artistInfo('artistInfo'),
  getArtistInfo2: artistInfo('artistInfo2'),
  getGenres
}
