import { extras, type LibraryItems, type LibraryKind, type SourceAdapter } from 'fastify-source-origin'
import { createLibrary } from 'fastify-source-origin/library'
import t from 'tap'
import { wholeList } from '../whole-list.ts'
import { ask, ids, serve, type Query } from './helper.ts'
import { albumOf, artistOf, trackOf } from './library.ts'
import { replace } from '../replace.ts'
import { pace } from '../../lib/library/parts-reader.ts'

// What apps ask for that keep a copy of a library, from a source that lists itself and from one that does not.

const numbers = (count: number) => Array.from({ length: count }, (_empty, index) => index)
const call = { signal: new AbortController().signal }
/** More than a page of any app. */
const albumIds = numbers(530)
const library = createLibrary({
  artists: numbers(7).map(artistOf),
  albums: albumIds.map(albumOf),
  tracks: albumIds.flatMap(album => [trackOf(album, 0), trackOf(album, 1)])
})
const all = async <K extends LibraryKind>(kind: K): Promise<LibraryItems[K][]> =>
  (await library.items(kind, await wholeList(library.ids({ kind }, call)), call)).map(item => item!)
const [artists, albums, tracks] = [await all('artists'), await all('albums'), await all('tracks')]
const favourite = <T extends { [extras]?: object | undefined }>(item: T): T =>
  ({ ...item, [extras]: { ...item[extras], starred: '2024-05-06T07:08:09.000Z' } })
const page = <T>(items: T[], offset: number, limit: number) =>
  ({ items: items.slice(offset, offset + limit), offset, limit, hasMore: offset + limit < items.length })

const adapter: SourceAdapter = {
  userArtists: () => artists.map(favourite),
  userAlbums: () => albums.map(favourite),
  userFavoriteTracks: () => tracks.slice(0, 3).map(favourite),
  getArtistDetail: id => ({ ...artists.find(artist => artist.id === id)!, tracks: [] }),
  getArtistAlbums: (id, offset, limit) => {
    const { name } = artists.find(artist => artist.id === id)!
    return page(albums.filter(({ artistName }) => artistName === name), offset, limit)
  },
  getAlbumDetail: id =>
    ({ ...albums.find(album => album.id === id)!, tracks: tracks.filter(({ album }) => album.id === id) }),
  getTrackDetail: id => tracks.find(track => track.id === id)!,
  getUserPlaylist: () => [{ id: 'p', name: 'Mine', coverUrl: '', trackCount: 2 }],
  getPlaylistDetail: () => ({ id: 'p', name: 'Mine', coverUrl: '', trackCount: 2, tracks: tracks.slice(5, 7) })
}
const sources = { 'that lists itself': { ...adapter, library }, 'that does not': adapter }

type Ask = (method: string, query?: Query) => Promise<any>

/** Pages until one is short, as apps do. */
async function pages (most: number, read: (offset: number) => Promise<any[]>): Promise<any[]> {
  const all: any[] = []
  for (;;) {
    const some = await read(all.length)
    all.push(...some)
    if (some.length < most) return all
  }
}

type Copy = { readonly songs: any[] } & Readonly<Record<string, unknown>>

/** What each app has when it has asked for everything. */
const apps: Record<string, { readonly client: Query, sync (ask: Ask): Promise<Copy> }> = {
  // Pages of search3 with two quotes as query, several at a time, then lists.
  Symfonium: {
    client: { c: 'Symfonium', v: '1.16.1' },
    async sync (ask) {
      const pageOf = async (offset: number) => (await ask('search3', {
        query: '""', artistCount: 0, albumCount: 0, songCount: 500, songOffset: offset
      })).searchResult3.song
      const songs = (await Promise.all([0, 500, 1000, 1500].map(pageOf))).flat()
      const albums = await pages(500, async albumOffset => (await ask('search3', {
        query: '""', artistCount: 0, albumCount: 500, songCount: 0, albumOffset
      })).searchResult3.album)
      const { starred2 } = await ask('getStarred2')
      const { playlists } = await ask('getPlaylists')
      const { playlist } = await ask('getPlaylist', { id: playlists.playlist[0].id })
      const { genres } = await ask('getGenres')
      const { artists } = await ask('getArtists')
      return { songs, albums, starred2, playlists, playlist, genres, artists: artists.index }
    }
  },
  // A walk through folders, with the time of the last one; members of OpenSubsonic are not known.
  DSub: {
    client: { c: 'DSub', v: '1.2.0' },
    async sync (ask) {
      const { indexes } = await ask('getIndexes', { ifModifiedSince: 0 })
      const again = await ask('getIndexes', { ifModifiedSince: indexes.lastModified })
      const artists = indexes.index.flatMap(({ artist }: any) => artist)
      const folders: any[] = []
      for (const { id } of artists) folders.push((await ask('getMusicDirectory', { id })).directory)
      const albums = folders.flatMap(({ child }) => child)
      const songs: any[] = []
      for (const { id } of albums) songs.push(...(await ask('getMusicDirectory', { id })).directory.child)
      const { starred } = await ask('getStarred')
      return { songs, index: indexes.index, again: again.indexes.index, folders, starred }
    }
  },
  // Albums by name, each with its songs.
  Feishin: {
    client: { c: 'Feishin', v: '1.13.0' },
    async sync (ask) {
      const { artists } = await ask('getArtists')
      const albums = await pages(500, async offset =>
        (await ask('getAlbumList2', { type: 'alphabeticalByName', size: 500, offset })).albumList2.album)
      const songs: any[] = []
      for (const { id } of albums) songs.push(...(await ask('getAlbum', { id })).album.song)
      const newest = (await ask('getAlbumList2', { type: 'newest', size: 20 })).albumList2.album
      const ofGenre = await pages(500, async offset =>
        (await ask('getSongsByGenre', { genre: 'Rock', count: 500, offset })).songsByGenre.song)
      const { genres } = await ask('getGenres')
      return { songs, artists: artists.index, albums, newest, ofGenre, genres }
    }
  }
}

for (const [name, { client, sync }] of Object.entries(apps)) {
  t.test(`${name} gets all of a library, the same whether a source lists itself or not`, async t => {
    replace(t, pace, 'between', 0)
    const copies: Copy[] = []
    for (const [title, adapter] of Object.entries(sources)) {
      const app = await serve(t, { adapter, context: { account: 'ann' } })
      const copy = await sync((method, query) => ask(app, method, { ...query, ...client }))
      t.strictSame(ids(copy.songs).sort(), tracks.map(({ id }) => `tr-${id}`).sort(), `all, from one ${title}`)
      copies.push(copy)
    }
    const [first, second] = copies
    for (const part of Object.keys(first!)) {
      const [one, other] = [first, second].map(copy => [copy![part]].flat().map(item => JSON.stringify(item)))
      // The first that differs: a whole copy would not be read by anybody.
      const at = one!.findIndex((text, at) => text !== other![at])
      t.equal(one![at], other![at], `${part}: ${one!.length}`)
      t.equal(one!.length, other!.length, `${part}: as many`)
    }
  })
}
