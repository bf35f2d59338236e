import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { byCurrentId } from '../account/current-ids.ts'
import { albumFacets, trackFacets } from '../account/genres.ts'
import { isNamed } from '../account/item-index.ts'
import { itemMapper, listingOf, pagedList, type Call, type Method } from '../call.ts'
import { writeId } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { isBetween, isOfGenre, yearsOf } from './album-filters.ts'
import { toplistTracks } from './find-playlist.ts'
import { shuffle, tracksById } from './items.ts'
import { songMethods } from './songs.ts'
import { described } from '../write-xml.ts'

type AlbumList = (call: Call) => Promise<readonly Album[]>

/** The albums of tracks, each once. */
const albumsIn = (tracks: readonly Track[]): Album[] =>
  [...new Map(tracks.filter(({ album }) => isNamed(album)).map(({ album }) => [album.id, album])).values()]

const newest: AlbumList = async call => {
  const { session, options: { addedAt } } = call
  if (addedAt !== undefined) {
    const times = (await listingOf(call)).albums.map(album =>
      ({ album, at: addedAt('album', album.id, session.context) ?? album.publishTime ?? -Infinity }))
    return times.sort((a, b) => a.at === b.at ? 0 : b.at - a.at).map(({ album }) => album)
  }
  const fresh = albumsIn(await call.session.read('getNewTracks') ?? [])
  const ids = new Set(fresh.map(({ id }) => id))
  return [...fresh, ...(await listingOf(call)).albumsByTime.filter(({ id }) => !ids.has(id))]
}

const highest: AlbumList = async call => {
  const groups = await call.session.read('getToplist') ?? []
  const [first] = groups.flatMap(({ list }) => list)
  const toplist = first && await toplistTracks(call, first.id)
  const given = await call.session.account.state.read<Record<string, number>>('ratings', {})
  const ratings = byCurrentId(given, call.options.currentIds)
  const ratingOf = ({ id }: Album) => ratings[writeId('album', id)] ?? 0
  const { albums } = await listingOf(call)
  const rated = albums.filter(album => ratingOf(album) > 0).sort((a, b) => ratingOf(b) - ratingOf(a))
  const ordered = [...rated, ...albumsIn(toplist?.tracks ?? []), ...albums]
  return [...new Map(ordered.map(album => [album.id, album])).values()]
}

/** Tracks that were played which the source is asked for one by one, and how many of them make a list. */
const mostPlayed = 100
const mostListed = 500

interface AlbumPlays { readonly album: Album, readonly plays: number, readonly last: number }

/** Albums of what the account has played, in an order of the plays of each. */
const played = (by: 'plays' | 'last'): AlbumList => async call => {
  const { session } = call
  const counts = (await session.account.state.plays(session)).toSorted((a, b) => b[by] - a[by] || b.last - a.last)
    .slice(0, mostListed)
  const tracks = await tracksById(call, counts.map(({ id }) => id), mostPlayed)
  const byAlbum = new Map<string, AlbumPlays>()
  for (const { id, plays, last } of counts) {
    const album = tracks.get(id)?.album
    if (album === undefined || !isNamed(album)) continue
    const known = byAlbum.get(album.id)
    byAlbum.set(album.id, {
      album, plays: plays + (known?.plays ?? 0), last: Math.max(last, known?.last ?? last)
    })
  }
  return [...byAlbum.values()].sort((a, b) => b[by] - a[by] || b.last - a.last).map(({ album }) => album)
}

/** Those that have a song of these years, too, as songs of a year are found. */
const byYear: AlbumList = async call => {
  const [from, to] = yearsOf(call)
  if (from === undefined || to === undefined) {
    throw new SubsonicError(10, 'Required parameters are missing: fromYear and toYear')
  }
  const isOf = isBetween(Math.min(from, to), Math.max(from, to))
  const { albumsByTime, tracks } = await listingOf(call)
  const ofTracks = new Set(tracks.filter(track => isOf(trackFacets(track))).map(({ album }) => album.id))
  const albums = albumsByTime.filter(album => isOf(albumFacets(album)) || ofTracks.has(album.id))
  return from <= to ? albums.toReversed() : albums
}

/** Those that have a song of it, too: `getGenres` counts them. */
const byGenre: AlbumList = async call => {
  const isOf = isOfGenre(call.parameters.required('genre'))
  const { albums, genres } = await listingOf(call)
  const found = genres.filter(({ name }) => isOf({ genres: [name] }))
  return albums.filter(({ id }) => found.some(({ albumIds }) => albumIds.has(id)))
}

const albumLists: Readonly<Record<string, AlbumList>> = {
  newest,
  highest,
  byYear,
  recent: played('last'),
  frequent: played('plays'),
  random: async call => shuffle((await listingOf(call)).albums),
  starred: async ({ session }) => await session.read('userAlbums') ?? [],
  alphabeticalByName: async call => (await listingOf(call)).albums,
  alphabeticalByArtist: async call => (await listingOf(call)).albumsByArtist,
  byGenre
}

const getAlbumList = (member: 'albumList' | 'albumList2'): Method => async call => {
  const type = call.parameters.required('type')
  if (!Object.hasOwn(albumLists, type)) {
    throw new SubsonicError(10, `Parameter type must be one of ${Object.keys(albumLists).join(', ')}`)
  }
  // Supersonic asks for the albums of a genre by limit.
  const { size, offset } = call.parameters.page('size', 'offset', call.parameters.integer('limit') ?? 10)
  const name = ['albums', type, ...yearsOf(call), call.parameters.first('genre')]
  const list = pagedList(call, name, offset, () => albumLists[type]!(call))
  await list.made
  const albums = list.items
  const page = albums.slice(offset, offset + size)
  call.reply.header('x-total-count', String(albums.length))
  const mapper = await itemMapper(call, page)
  return { [member]: { album: page.map(member === 'albumList' ? mapper.folder : album => mapper.album(album)) } }
}

const getStarred = (member: 'starred' | 'starred2'): Method => async call => {
  const { session } = call
  const isOld = member === 'starred'
  await call.long.takePlace()
  const [artists, albums, tracks] =
    await Promise.all([session.read('userArtists'), session.read('userAlbums'), session.read('userFavoriteTracks')])
  const starred = <T extends Artist | Album | Track>(items: T[] = []) =>
    items.map(item => ({ ...item, favorite: true }))
  const { latest } = session.account.library
  const mapper = await itemMapper(call, artists ?? [], albums ?? [], tracks ?? [])
  return {
    [member]: {
      artist: described(starred(artists), artist =>
        isOld ? mapper.artistFolder(artist, latest) : mapper.artist(artist, latest)),
      album: described(starred(albums), album => isOld ? mapper.folder(album) : mapper.album(album)),
      song: described(starred(tracks), mapper.song)
    }
  }
}

/** Lists of albums, of songs, and of both. */
export const listMethods: Readonly<Record<string, Method>> = {
  ...songMethods,
  getAlbumList: getAlbumList('albumList'),
  getAlbumList2: getAlbumList('albumList2'),
  getStarred: getStarred('starred'),
  getStarred2: getStarred('starred2')
}
