import type { Playlist, PlaylistDetail, Track } from '../../schemas/index.ts'
import { NotFoundError, UpstreamError } from '../contract/errors.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { foldText } from '../text/names.ts'
import { pageOf } from './pages.ts'
import type { RemoteSource } from './subsonic-adapter.ts'
import { listOf, objectOf, textOf, timeOf, type Given } from './tolerate.ts'

const genrePrefix = 'genre:'
const all = { key: 'playlists', label: 'Playlists' }

const { compare } = new Intl.Collator('en', { numeric: true })

const createdAt = ({ created }: Given) => timeOf(created) ?? 0

const artistOf = ({ artists }: Track) => artists[0]?.name ?? ''

type Order = (a: { song: Given, track: Track }, b: { song: Given, track: Track }) => number

const orders: Readonly<Record<string, Order>> = {
  title: (a, b) => compare(a.track.title, b.track.title),
  artist: (a, b) => compare(artistOf(a.track), artistOf(b.track)),
  album: (a, b) => compare(a.track.album.name, b.track.album.name),
  duration: (a, b) => a.track.durationMs - b.track.durationMs,
  added: (a, b) => createdAt(a.song) - createdAt(b.song)
}

async function listed (source: RemoteSource): Promise<Given[]> {
  const { playlist } = objectOf((await source.ask('getPlaylists')).playlists)
  return listOf(playlist).filter(({ id }) => textOf(id) !== '')
}

/** Returns all playlists, grouped by owner. Servers that do not report owners list only the user's own playlists. */
async function byOwner (source: RemoteSource): Promise<{ own: Given[], others: Given[] }> {
  const [all, username] = await Promise.all([listed(source), source.username()])
  const isOwn = ({ owner }: Given) => ['', username.toLowerCase()].includes(textOf(owner).toLowerCase())
  return { own: all.filter(isOwn), others: all.filter(playlist => !isOwn(playlist)) }
}

async function genres (source: RemoteSource): Promise<string[]> {
  const found = await source.tryTo('getGenres')
  const names = listOf(objectOf(found?.genres).genre).map(({ value, name }) => textOf(value) || textOf(name))
  return names.filter(name => name !== '')
}

const ofGenre = (genre: string): Playlist => ({ id: genrePrefix + genre, name: genre, trackCount: 0 })

async function songsOfGenre (source: RemoteSource, genre: string): Promise<unknown> {
  return objectOf((await source.ask('getSongsByGenre', { genre, count: 500 })).songsByGenre).song
}

export async function readPlaylist (source: RemoteSource, id: string): Promise<Given> {
  const { playlist } = await source.find('getPlaylist', { id })
  if (textOf(objectOf(playlist).id) === '') throw new NotFoundError('Playlist not found')
  return objectOf(playlist)
}

async function newestNamed (source: RemoteSource, name: string): Promise<Given | undefined> {
  const named = (await listed(source)).filter(playlist => textOf(playlist.name) === name)
  return named.sort((a, b) => createdAt(b) - createdAt(a))[0]
}

export async function makePlaylist (source: RemoteSource, query: { name: string, songId?: string[] }): Promise<Given> {
  const answer = await source.make('createPlaylist', query)
  // Servers before 1.14 send an empty response.
  const made = textOf(objectOf(answer.playlist).id) === ''
    ? await newestNamed(source, query.name)
    : objectOf(answer.playlist)
  if (made === undefined) throw new UpstreamError('The server does not show the new playlist')
  return made
}

const outcome = (answer: Given | undefined) => ({ success: answer !== undefined })

/** Methods for public playlists and the user's own playlists. */
export function playlistsOnServer (source: RemoteSource) {
  return {
    async getPlaylists (offset, limit, category) {
      if (category?.startsWith(genrePrefix)) return pageOf([ofGenre(category.slice(genrePrefix.length))], offset, limit)
      const { others } = await byOwner(source)
      return pageOf(others.map(playlist => source.playlist(playlist)), offset, limit)
    },

    async getPlaylistCategories () {
      return [all, ...(await genres(source)).map(genre => ({ key: genrePrefix + genre, label: genre }))]
    },

    async getRecommendedPlaylist (offset, limit) {
      const playlists = (await listed(source)).map(playlist => source.playlist(playlist))
      return pageOf(playlists.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0)), offset, limit)
    },

    async getPlaylistDetail (id, trackLimit, sort, order): Promise<PlaylistDetail> {
      const genre = id.startsWith(genrePrefix) ? id.slice(genrePrefix.length) : undefined
      const playlist = genre === undefined ? await readPlaylist(source, id) : {}
      const songs = listOf(genre === undefined ? playlist.entry : await songsOfGenre(source, genre))
      const tracks = new Map((await source.tracks(songs)).map(track => [track.id, track]))
      const both = songs.flatMap(song => {
        const track = tracks.get(textOf(song.id))
        return track === undefined ? [] : [{ song, track }]
      })
      const compare = sort === undefined ? undefined : orders[sort]
      if (compare !== undefined) both.sort((a, b) => order === 'desc' ? compare(b, a) : compare(a, b))
      const sorted = both.map(({ track }) => track)
      return {
        ...(genre === undefined ? source.playlist(playlist) : ofGenre(genre)),
        trackCount: sorted.length,
        tracks: trackLimit === -1 ? sorted : sorted.slice(0, trackLimit)
      }
    },

    async searchPlaylists (keyword, offset, limit) {
      const wanted = foldText(keyword)
      const found = (await listed(source)).filter(({ name }) => foldText(textOf(name)).includes(wanted))
      return pageOf(found.map(playlist => source.playlist(playlist)), offset, limit)
    },

    async getUserPlaylist () {
      return (await byOwner(source)).own.map(playlist => source.playlist(playlist))
    },

    async createPlaylist (name) {
      return source.playlist(await makePlaylist(source, { name }))
    },

    async updatePlaylist (id, name, description) {
      await source.make('updatePlaylist', { playlistId: id, name, comment: description })
      const { entry, ...playlist } = await readPlaylist(source, id)
      return source.playlist({ songCount: listOf(entry).length, ...playlist })
    },

    async deletePlaylist (id) {
      return outcome(await source.change('deletePlaylist', { id }))
    },

    async addTrackToPlaylist (playlistId, trackId) {
      return outcome(await source.change('updatePlaylist', { playlistId, songIdToAdd: trackId }))
    },

    async removeTrack (playlistId, trackId) {
      const { entry } = await readPlaylist(source, playlistId)
      const positions = listOf(entry).flatMap(({ id }, index) => textOf(id) === trackId ? [index] : [])
      if (positions.length === 0) throw new NotFoundError('The track is not in this playlist')
      return outcome(await source.change('updatePlaylist', { playlistId, songIndexToRemove: positions }))
    }
  } satisfies SourceAdapter
}
