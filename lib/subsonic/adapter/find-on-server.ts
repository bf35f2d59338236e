import { NotFoundError } from '../../contract/errors.ts'
import type { SourceAdapter } from '../../contract/source-adapter.ts'
import { songsOfAlbums } from './browse-server.ts'
import { pageOfMore, type Source } from './source.ts'
import { listOf, numberOf, objectOf, type Given } from './tolerate.ts'

const toplists: Readonly<Record<string, string>> = {
  frequent: 'Most played', highest: 'Top rated', recent: 'Recently played', newest: 'New'
}

/** Albums of a toplist at most. */
const mostAlbums = 50

type Kind = 'artist' | 'album' | 'song'

async function search (source: Source, query: string, kind: Kind, offset: number, limit: number): Promise<unknown> {
  const counts = { artistCount: 0, albumCount: 0, songCount: 0, [`${kind}Count`]: limit + 1, [`${kind}Offset`]: offset }
  return objectOf((await source.ask('search3', { query, ...counts })).searchResult3)[kind]
}

async function albumList (source: Source, type: string, size: number): Promise<Given[]> {
  return listOf(objectOf((await source.ask('getAlbumList2', { type, size })).albumList2).album)
}

async function randomTracks (source: Source) {
  return source.tracks(objectOf((await source.ask('getRandomSongs', { size: 30 })).randomSongs).song)
}

/** What is found without knowing an id. */
export function findOnServer (source: Source) {
  return {
    async searchTracks (keyword, offset, limit) {
      return pageOfMore(await source.tracks(await search(source, keyword, 'song', offset, limit)), offset, limit)
    },

    async searchArtists (keyword, offset, limit) {
      return pageOfMore(source.artists(await search(source, keyword, 'artist', offset, limit)), offset, limit)
    },

    async searchAlbums (keyword, offset, limit) {
      return pageOfMore(source.albums(await search(source, keyword, 'album', offset, limit)), offset, limit)
    },

    async searchSuggest (keyword) {
      const { searchResult3 } = await source.ask('search3', { query: keyword, artistCount: 5, albumCount: 5, songCount: 5 })
      const { artist, album, song } = objectOf(searchResult3)
      return { songs: await source.tracks(song), artists: source.artists(artist), albums: source.albums(album) }
    },

    async getNewTracks () {
      return source.tracks(await songsOfAlbums(source, await albumList(source, 'newest', 10), 0, 50))
    },

    getRoamTracks: () => randomTracks(source),

    /** The same for a day. */
    async getDailyTracks () {
      const day = new Date().toLocaleDateString('en-CA', { timeZone: source.server.options.timeZone })
      const songs = await source.server.keep(`daily ${day}`, 86_400_000, async () =>
        listOf(objectOf((await source.ask('getRandomSongs', { size: 30 })).randomSongs).song))
      return source.tracks(songs)
    },

    async getToplist () {
      const lists = await Promise.allSettled(Object.entries(toplists).map(async ([id, name]) => {
        const albums = source.albums(await albumList(source, id, 3))
        return {
          id,
          name,
          coverUrl: albums[0]?.coverUrl ?? '',
          updateFrequency: '',
          tracks: albums.map(({ name, artistName = '' }) => ({ name, artistName }))
        }
      }))
      // Not every server has all of them.
      const list = lists.flatMap(list => list.status === 'fulfilled' ? [list.value] : [])
      const failed = lists.find(list => list.status === 'rejected')
      if (list.length === 0 && failed !== undefined) throw failed.reason
      return [{ name: 'Albums', list }]
    },

    async getToplistTracks (id, offset, limit) {
      if (!Object.hasOwn(toplists, id)) throw new NotFoundError('There is no such list')
      const albums = await albumList(source, id, mostAlbums)
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
