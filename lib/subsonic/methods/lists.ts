import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { fold, isNamed } from '../account/memory.ts'
import type { Play, Playing } from '../account/records.ts'
import { describerOf, type Call, type Method } from '../call.ts'
import { readId, readIdOf } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { writeTime } from '../times.ts'
import { findAlbum, findArtist, shuffle, tracksById, tracksOf } from './items.ts'
import { toplistTracks } from './find-playlist.ts'

type AlbumList = (call: Call) => Promise<readonly Album[]>

const listingOf = ({ session }: Call) => session.account.shelf.listing(session)

/** The albums of tracks, each once. */
const albumsIn = (tracks: readonly Track[]): Album[] =>
  [...new Map(tracks.filter(({ album }) => isNamed(album)).map(({ album }) => [album.id, album])).values()]

const newest: AlbumList = async call => {
  const fresh = albumsIn(await call.session.read('getNewTracks') ?? [])
  const ids = new Set(fresh.map(({ id }) => id))
  return [...fresh, ...(await listingOf(call)).albumsByTime.filter(({ id }) => !ids.has(id))]
}

const highest: AlbumList = async call => {
  const groups = await call.session.read('getToplist') ?? []
  const [first] = groups.flatMap(({ list }) => list)
  return first === undefined ? [] : albumsIn((await toplistTracks(call, first.id)).tracks)
}

/** Albums of what the account has played, in an order of the plays of each. */
const played = (order: (plays: readonly Play[]) => number): AlbumList => async call => {
  const plays = await call.session.account.records.read<Play[]>('plays', [])
  const tracks = await tracksById(call, plays.map(({ id }) => id))
  const byAlbum = new Map<string, { album: Album, plays: Play[] }>()
  for (const play of plays) {
    const album = tracks.get(play.id)?.album
    if (album === undefined || !isNamed(album)) continue
    const known = byAlbum.get(album.id)
    if (known === undefined) byAlbum.set(album.id, { album, plays: [play] })
    else known.plays.push(play)
  }
  return [...byAlbum.values()].sort((a, b) => order(b.plays) - order(a.plays)).map(({ album }) => album)
}

const byYear: AlbumList = async call => {
  const [from, to] = yearsOf(call)
  if (from === undefined || to === undefined) throw new SubsonicError(10, 'Required parameters are missing: fromYear and toYear')
  const albums = (await listingOf(call)).albumsByTime.filter(isBetween(Math.min(from, to), Math.max(from, to)))
  return from <= to ? albums.toReversed() : albums
}

const yearsOf = ({ parameters }: Call) => [parameters.integer('fromYear'), parameters.integer('toYear')]

const isBetween = (from: number, to: number) => ({ publishTime }: Album) => {
  const { year } = writeTime(publishTime)
  return year !== undefined && year >= from && year <= to
}

const isOfGenre = (genre: string) => (album: Album) => album.genre?.toLowerCase() === genre.toLowerCase()

const albumLists: Readonly<Record<string, AlbumList>> = {
  newest,
  highest,
  byYear,
  recent: played(plays => Math.max(...plays.map(({ at }) => at))),
  frequent: played(plays => plays.length),
  random: async call => shuffle((await listingOf(call)).albums),
  starred: async ({ session }) => await session.read('userAlbums') ?? [],
  alphabeticalByName: async call => (await listingOf(call)).albums,
  alphabeticalByArtist: async call => (await listingOf(call)).albumsByArtist,
  byGenre: async call => (await listingOf(call)).albums.filter(isOfGenre(call.parameters.required('genre')))
}

const getAlbumList = (member: 'albumList' | 'albumList2'): Method => async call => {
  const type = call.parameters.required('type')
  if (!Object.hasOwn(albumLists, type)) throw new SubsonicError(10, `Parameter type must be one of ${Object.keys(albumLists).join(', ')}`)
  const { lists } = call.session.account
  const key = JSON.stringify([type, ...yearsOf(call), call.parameters.first('genre')])
  const kept = call.parameters.integer('offset') ? lists.get(key) : undefined
  const albums = kept ?? await albumLists[type]!(call)
  if (kept === undefined) lists.set(key, albums)
  // Supersonic asks for the albums of a genre by limit.
  const { size, offset } = call.parameters.page('size', 'offset', call.parameters.integer('limit') ?? 10)
  const page = albums.slice(offset, offset + size)
  call.reply.header('x-total-count', String(albums.length))
  const describer = await describerOf(call, page)
  return { [member]: { album: page.map(member === 'albumList' ? describer.folder : album => describer.album(album)) } }
}

async function songs (call: Call, tracks: readonly Track[]) {
  return { song: tracks.map((await describerOf(call, tracks)).song) }
}

const getRandomSongs: Method = async call => {
  const { session, parameters } = call
  const { size } = parameters.page('size', 'offset', 10)
  const genre = parameters.first('genre')
  const [from, to] = yearsOf(call)
  const isFiltered = genre !== undefined || from !== undefined || to !== undefined
  const found = new Map<string, Track>()
  const add = (tracks: readonly Track[]) => { for (const track of tracks) found.set(track.id, track) }
  if (!isFiltered) {
    for (let calls = 0, before = -1; calls < 5 && found.size < size && found.size > before; calls++) {
      before = found.size
      add(await session.read('getRoamTracks') ?? [])
    }
    if (found.size === 0) add(await session.read('getDailyTracks') ?? [])
  }
  if (found.size < size) {
    const fits = isBetween(from ?? -Infinity, to ?? Infinity)
    const all = await session.account.shelf.songs(session)
    add(shuffle(all.filter(({ album }) => (genre === undefined || isOfGenre(genre)(album)) && ((from ?? to) === undefined || fits(album)))))
  }
  return { randomSongs: await songs(call, [...found.values()].slice(0, size)) }
}

const getSongsByGenre: Method = async call => {
  const genre = call.parameters.required('genre')
  const { size, offset } = call.parameters.page('count', 'offset', 10)
  const all = (await call.session.account.shelf.songs(call.session)).filter(({ album }) => isOfGenre(genre)(album))
  return { songsByGenre: await songs(call, all.slice(offset, offset + size)) }
}

const getStarred = (member: 'starred' | 'starred2'): Method => async call => {
  const { session } = call
  const [artists, albums, tracks] = await Promise.all([session.read('userArtists'), session.read('userAlbums'), session.read('userFavoriteTracks')])
  const starred = <T extends Artist | Album | Track>(items: T[] = []) => items.map(item => ({ ...item, favorite: true }))
  const describer = await describerOf(call)
  return {
    [member]: {
      artist: starred(artists).map(artist => describer.artist(artist)),
      album: starred(albums).map(member === 'starred' ? describer.folder : album => describer.album(album)),
      song: starred(tracks).map(describer.song)
    }
  }
}

const getTopSongs: Method = async call => {
  const { session, parameters } = call
  const { size } = parameters.page('count', 'offset', 50)
  const given = parameters.first('id')
  const id = given === undefined ? await artistIdOf(call, parameters.required('artist')) : readIdOf('artist', given)
  if (id === undefined || !(session.has('getArtistTracks') || session.has('getArtistDetail'))) return { topSongs: { song: [] } }
  return { topSongs: await songs(call, await tracksOf(call, id, size)) }
}

/** By a name that was shown, else by a search for it. */
async function artistIdOf ({ session }: Call, name: string): Promise<string | undefined> {
  const known = session.account.memory.artistNamed(name)
  if (known !== undefined) return known.id
  const found = await session.read('searchArtists', name, 0, 20)
  return found?.items.find(artist => fold(artist.name) === fold(name))?.id
}

const getSimilarSongs = (member: 'similarSongs' | 'similarSongs2'): Method => async call => {
  const { size } = call.parameters.page('count', 'offset', 50)
  const tracks = await similarTo(call, call.parameters.required('id'), size)
  return { [member]: await songs(call, tracks.slice(0, size)) }
}

async function similarTo (call: Call, text: string, count: number): Promise<readonly Track[]> {
  const { session } = call
  const { kind, id } = readId(text)
  if (kind === 'track') {
    const similar = await session.read('getSimilarTracks', id)
    if (similar !== undefined) return similar
    const artist = (await tracksById(call, [id])).get(id)?.artists.find(isNamed)
    return artist === undefined ? [] : ofArtist(call, artist.id, count)
  }
  if (kind !== 'album' && kind !== 'artist') throw new SubsonicError(70, 'This is not the id of an artist, an album or a track')
  const [first] = kind === 'album' ? (await findAlbum(call, id, 1)).tracks : await ofArtist(call, id, 1)
  const similar = first && await session.read('getSimilarTracks', first.id)
  if (similar !== undefined) return similar
  const artistId = kind === 'artist' ? id : first?.artists.find(isNamed)?.id
  return artistId === undefined ? [] : ofArtist(call, artistId, count)
}

/** The tracks of an artist; none where the source has no list of them. */
async function ofArtist (call: Call, id: string, count: number): Promise<readonly Track[]> {
  if (call.session.has('getArtistTracks') || call.session.has('getArtistDetail')) return tracksOf(call, id, count)
  await findArtist(call, id)
  return []
}

const getNowPlaying: Method = async call => {
  const { account } = call.session
  const since = Date.now() - 600_000
  const playing = (await account.records.read<Playing[]>('playing', [])).filter(({ at }) => at >= since)
  const tracks = await tracksById(call, playing.map(({ id }) => id))
  const describer = await describerOf(call, [...tracks.values()])
  const entry = playing.flatMap(({ id, username, client, at }) => {
    const track = tracks.get(id)
    return track === undefined
      ? []
      : [{ ...describer.song(track), username, minutesAgo: Math.floor((Date.now() - at) / 60_000), playerId: 0, playerName: client }]
  })
  return { nowPlaying: { entry } }
}

export const listMethods: Readonly<Record<string, Method>> = {
  getAlbumList: getAlbumList('albumList'),
  getAlbumList2: getAlbumList('albumList2'),
  getRandomSongs,
  getSongsByGenre,
  getStarred: getStarred('starred'),
  getStarred2: getStarred('starred2'),
  getTopSongs,
  getSimilarSongs: getSimilarSongs('similarSongs'),
  getSimilarSongs2: getSimilarSongs('similarSongs2'),
  getNowPlaying
}
