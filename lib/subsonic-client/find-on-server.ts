import { NotFoundError, UnsupportedFeatureError } from '../contract/errors.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { songsOfAlbums } from './browse-server.ts'
import { pageOfMore } from './pages.ts'
import type { Query } from './server-login.ts'
import type { RemoteSource } from './subsonic-adapter.ts'
import { listOf, numberOf, objectOf, type Given } from './tolerate.ts'

const toplists: Readonly<Record<string, string>> = {
  frequent: 'Most played', highest: 'Top rated', recent: 'Recently played', newest: 'New'
}

/** The maximum number of albums of a toplist. */
const mostAlbums = 50

async function search (source: RemoteSource, query: string, counts: Query) {
  return objectOf((await source.ask('search3', { query, ...counts })).searchResult3)
}

/** Returns a page of one kind. One extra item is requested, which shows whether another page follows. */
async function searchPage<T> (
  source: RemoteSource, kind: 'artist' | 'album' | 'song', query: string, offset: number, limit: number,
  convert: (given: Given[]) => T[] | Promise<T[]>
) {
  const none = { artistCount: 0, albumCount: 0, songCount: 0 }
  const found = await search(source, query, { ...none, [`${kind}Count`]: limit + 1, [`${kind}Offset`]: offset })
  return pageOfMore(listOf(found[kind]), offset, limit, convert)
}

/** Returns the albums of a list; `undefined` if the server does not have the list. */
async function albumList (source: RemoteSource, type: string, size: number): Promise<Given[] | undefined> {
  const found = await source.tryTo('getAlbumList2', { type, size })
  return found && listOf(objectOf(found.albumList2).album)
}

const noList = () => new UnsupportedFeatureError('The server has no such list')

async function randomSongs (source: RemoteSource): Promise<Given[]> {
  return listOf(objectOf((await source.ask('getRandomSongs', { size: 30 })).randomSongs).song)
}

/** Methods that find items without an id. */
export function findOnServer (source: RemoteSource) {
  return {
    searchTracks: (keyword, offset, limit) =>
      searchPage(source, 'song', keyword, offset, limit, songs => source.tracks(songs)),
    searchArtists: (keyword, offset, limit) => searchPage(source, 'artist', keyword, offset, limit, source.artists),
    searchAlbums: (keyword, offset, limit) => searchPage(source, 'album', keyword, offset, limit, source.albums),

    async searchSuggest (keyword) {
      const { artist, album, song } = await search(source, keyword, { artistCount: 5, albumCount: 5, songCount: 5 })
      return { songs: await source.tracks(song), artists: source.artists(artist), albums: source.albums(album) }
    },

    async getNewTracks () {
      const albums = await albumList(source, 'newest', 10)
      if (albums === undefined) throw noList()
      return source.tracks(await songsOfAlbums(source, albums, 0, 50))
    },

    async getRoamTracks () { return source.tracks(await randomSongs(source)) },

    /** Returns random songs that stay the same for a day. */
    async getDailyTracks () {
      const day = new Date().toLocaleDateString('en-CA', { timeZone: source.client.options.timeZone })
      return source.tracks(await source.client.keep(`daily ${day}`, 86_400_000, () => randomSongs(source.shared)))
    },

    async getToplist () {
      const lists = await Promise.all(Object.entries(toplists).map(async ([id, name]) => {
        const found = await albumList(source, id, 3)
        if (found === undefined) return []
        const albums = source.albums(found)
        return [{
          id,
          name,
          coverUrl: albums[0]?.coverUrl ?? '',
          updateFrequency: '',
          tracks: albums.map(({ name, artistName = '' }) => ({ name, artistName }))
        }]
      }))
      // Some servers lack some of the lists.
      const list = lists.flat()
      if (list.length === 0) throw noList()
      return [{ name: 'Albums', list }]
    },

    async getToplistTracks (id, offset, limit) {
      if (!Object.hasOwn(toplists, id)) throw new NotFoundError('List not found')
      // These lists change with every play, and their pages must neither repeat nor lose items.
      const albums = await source.client.keep(`toplist ${id}`, 300_000, () =>
        albumList(source.shared, id, mostAlbums))
      if (albums === undefined) throw noList()
      return {
        id,
        name: toplists[id]!,
        coverUrl: source.albums(albums)[0]?.coverUrl ?? '',
        trackCount: albums.reduce((sum, { songCount }) => sum + Math.round(numberOf(songCount) ?? 0), 0),
        tracks: await source.tracks(await songsOfAlbums(source, albums, offset, limit))
      }
    }
  } satisfies SourceAdapter
}
