import type { Album, Artist, Track } from '../../../schemas/index.ts'
import { idsOf, mergeTracks, ValuesOfItems } from '../../contract/merged-items.ts'
import { isNamed, randomList, type MakeIds, type ShownLibrary } from '../../library/internal.ts'
import { itemMapper, libraryOf, pagedList, readItems, type Call, type Method } from '../call.ts'
import { shownIdsOf } from '../account/current-ids.ts'
import { writeId } from '../ids.ts'
import { SubsonicError } from '../subsonic-error.ts'
import { toplistTracks } from './find-playlist.ts'
import { tracksById } from './find-items.ts'
import { songMethods, yearsOf } from './song-methods.ts'
import { described, type JsonObject } from '../write-xml.ts'

type AlbumList = (call: Call, library: ShownLibrary) => ReturnType<MakeIds>

/** Returns the distinct albums of tracks. */
const albumsIn = (tracks: readonly Track[]): Album[] =>
  [...new Map(tracks.filter(({ album }) => isNamed(album)).map(({ album }) => [album.id, album])).values()]

const merge = (...lists: (readonly string[])[]) => [...new Set(lists.flat())]

const newest: AlbumList = async ({ session }, library) => {
  const query = { kind: 'albums', sort: 'added', order: 'desc' } as const
  if (await session.library() !== undefined) return library.list(query)
  const added = await library.ids(query)
  return merge(session.account.items.noteShown(albumsIn(await session.read('getNewTracks') ?? [])), added)
}

const highest: AlbumList = async (call, library) => {
  const { session } = call
  const groups = await session.readPart('getToplist') ?? []
  const [first] = groups.flatMap(({ list }) => list)
  const toplist = first && await toplistTracks(call, first.id)
  const { items, state } = session.account
  const ratings = await state.readCurrent<number>(session, 'ratings')
  const all = await library.ids({ kind: 'albums' })
  const shownIds = shownIdsOf(session)
  const rated = (ratings.size === 0 ? [] : all)
    .map(id => ({ id, rating: ratings.last(shownIds(writeId('album', id))) ?? 0 }))
    .filter(({ rating }) => rating > 0)
    .sort((a, b) => b.rating - a.rating)
  return merge(rated.map(({ id }) => id), items.noteShown(albumsIn(toplist?.tracks ?? [])), all)
}

/** The maximum number of played tracks that are requested one by one, and the maximum length of a list. */
const mostPlayed = 100
const mostListed = 500

interface AlbumPlays { readonly album: Album, readonly plays: number, readonly last: number }

/** Returns a list of played albums, ordered by the plays of each. */
const played = (by: 'plays' | 'last'): AlbumList => async (call, library) => {
  const { session } = call
  const sort = by === 'plays' ? 'plays' : 'played'
  const isSorted = await session.library() !== undefined && (await library.facets('albums')).sorts.includes(sort)
  if (isSorted) return library.ids({ kind: 'albums', sort, order: 'desc' })
  const { state, items } = session.account
  const counts = (await state.plays(session)).toSorted((a, b) => b[by] - a[by] || b.last - a.last)
    .slice(0, mostListed)
  const tracks = await tracksById(call, counts.map(({ id }) => id), mostPlayed)
  const { adapter } = session.context
  const heard = counts.filter(({ id }) => tracks.has(id))
  const byTrack = new ValuesOfItems(heard.map(count => [idsOf(adapter)(tracks.get(count.id)!.id), count]))
  const byAlbum = new Map<string, AlbumPlays>()
  const each = new Map([...tracks.values()].map(track => [track.id, track]))
  for (const { id, album } of mergeTracks(adapter, [...each.values()])) {
    if (!isNamed(album)) continue
    const all = byTrack.all(idsOf(adapter)(id))
    const plays = all.reduce((sum, { plays }) => sum + plays, 0)
    const last = Math.max(...all.map(({ last }) => last))
    const known = byAlbum.get(album.id)
    byAlbum.set(album.id, {
      album, plays: plays + (known?.plays ?? 0), last: Math.max(last, known?.last ?? last)
    })
  }
  const sorted = [...byAlbum.values()].sort((a, b) => b[by] - a[by] || b.last - a.last)
  return items.noteShown(sorted.map(({ album }) => album))
}

const byYear: AlbumList = async (call, library) => {
  const [from, to] = yearsOf(call)
  if (from === undefined || to === undefined) {
    throw new SubsonicError(10, 'Required parameters are missing: fromYear and toYear')
  }
  const years = [Math.min(from, to), Math.max(from, to)] as const
  return library.list({ kind: 'albums', sort: 'year', order: from <= to ? 'asc' : 'desc', years })
}

const albumLists: Readonly<Record<string, AlbumList>> = {
  newest,
  highest,
  byYear,
  recent: played('last'),
  frequent: played('plays'),
  random: ({ session }, library) => {
    // A later request reads further.
    session.share()
    return randomList(library, { kind: 'albums' })
  },
  starred: async ({ session }) => session.account.items.noteShown(await session.readPart('userAlbums') ?? []),
  alphabeticalByName: async (_call, library) => library.list({ kind: 'albums', sort: 'name' }),
  alphabeticalByArtist: async (_call, library) => library.list({ kind: 'albums', sort: 'artist' }),
  byGenre: async (call, library) => library.list({ kind: 'albums', genre: call.parameters.required('genre') })
}

const getAlbumList = (member: 'albumList' | 'albumList2'): Method => async call => {
  const type = call.parameters.required('type')
  if (!Object.hasOwn(albumLists, type)) {
    throw new SubsonicError(10, `Parameter type must be one of ${Object.keys(albumLists).join(', ')}`)
  }
  // Supersonic sends `limit` for the albums of a genre.
  const page = call.parameters.page('size', 'offset', call.parameters.integer('limit') ?? 10)
  const name = ['albums', type, ...yearsOf(call), call.parameters.first('genre')]
  const library = await libraryOf(call)
  const list = pagedList(call, name, page.offset, () => albumLists[type]!(call, library))
  const albums = await list.page(page, ids => readItems(call, 'albums', ids))
  const total = await list.total()
  if (total !== undefined) call.reply.header('x-total-count', String(total))
  const mapper = await itemMapper(call, { albums })
  const album: JsonObject[] = []
  for (const item of albums) album.push(member === 'albumList' ? mapper.folder(item) : mapper.album(item))
  return { [member]: { album } }
}

const getStarred = (member: 'starred' | 'starred2'): Method => async call => {
  const { session } = call
  const isOld = member === 'starred'
  await call.long.takePlace()
  const [artists, albums, tracks] =
    await Promise.all([
      session.readPart('userArtists'), session.readPart('userAlbums'), session.readPart('userFavoriteTracks')
    ])
  const starred = <T extends Artist | Album | Track>(items: T[] = []) =>
    items.map(item => ({ ...item, favorite: true }))
  const mapper = await itemMapper(call, { artists, albums, tracks })
  return {
    [member]: {
      artist: described(starred(artists), artist =>
        isOld ? mapper.artistFolder(artist) : mapper.artist(artist)),
      album: described(starred(albums), album => isOld ? mapper.folder(album) : mapper.album(album)),
      song: described(starred(tracks), mapper.song)
    }
  }
}

/** Methods that list albums, songs, or both. */
export const listMethods: Readonly<Record<string, Method>> = {
  ...songMethods,
  getAlbumList: getAlbumList('albumList'),
  getAlbumList2: getAlbumList('albumList2'),
  getStarred: getStarred('starred'),
  getStarred2: getStarred('starred2')
}
