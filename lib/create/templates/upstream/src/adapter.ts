import type { SourceAdapter, Track } from 'fastify-source-origin'
import type { SourceCall } from 'fastify-source-origin/serve'
import { createCursorStore, cursorPager, type AccountUpstream } from 'fastify-source-origin/upstream'
import { pathOf, type Album, type Artist, type Media, type Song, type SongPage } from './service.ts'

// The service's data in the shapes of the contract: ids are strings, times are milliseconds.
const artistOf = ({ id, name }: Artist) => ({ id: String(id), name })
const trackOf = ({ id, title, seconds, artist, album }: Song): Track => ({
  id: String(id),
  title,
  artists: [artistOf(artist)],
  album: { id: String(album.id), name: album.title, coverUrl: '' },
  durationMs: seconds * 1000
})
const tracksOf = (songs: Song[], limit = -1) => songs.slice(0, limit < 0 ? undefined : limit).map(trackOf)

const cursors = createCursorStore()

/** The operations of one request. Each method is one, and all are optional: add the others that the service has. */
export function createAdapter (
  { account, signal, log, mediaUrl }: SourceCall<Media>, service: AccountUpstream
): SourceAdapter {
  const api = service.for({ account, signal, log })
  const songOf = (id: string) => api.json<Song>(pathOf('songs', id))
  /** The service pages by cursor, clients by offset. */
  const songsAt = (path: string, query: { q?: string } = {}) => cursorPager<Track>({
    cursors: cursors.of(JSON.stringify([account, path, query])),
    async fetch (cursor) {
      const { songs, next } = await api.json<SongPage>(path, { query: { ...query, cursor } })
      return { items: tracksOf(songs), next }
    }
  })

  return {
    searchTracks: (keyword, offset, limit) => songsAt('/search', { q: keyword })(offset, limit),
    getNewTracks: async () => tracksOf((await api.json<SongPage>('/new')).songs),
    getTrackDetail: async id => trackOf(await songOf(id)),
    async getTrackUrl (id) {
      await songOf(id)
      return { url: mediaUrl('audio', { account, id }, { extension: 'wav' }), quality: 'standard', format: 'wav' }
    },

    async getAlbumDetail (id, trackLimit) {
      const path = pathOf('albums', id)
      const [{ title, artist, released }, songs] =
        await Promise.all([api.json<Album>(path), api.json<Song[]>(`${path}/songs`)])
      const tracks = tracksOf(songs, trackLimit)
      const publishTime = Date.parse(released)
      return { id, name: title, coverUrl: '', artist: artistOf(artist), publishTime, trackCount: songs.length, tracks }
    },

    async getArtistDetail (id, trackLimit) {
      const path = pathOf('artists', id)
      const [artist, { songs }] =
        await Promise.all([api.json<Artist>(path), api.json<SongPage>(`${path}/songs`)])
      return { ...artistOf(artist), tracks: tracksOf(songs, trackLimit) }
    },
    getArtistTracks: (id, _order, offset, limit) => songsAt(`${pathOf('artists', id)}/songs`)(offset, limit),

    userFavoriteTracks: async () => tracksOf(await api.json('/favorites')).map(track => ({ ...track, favorite: true })),
    async favoriteTrack (id, status) {
      await songOf(id)
      await api.text(pathOf('favorites', id), { method: status ? 'PUT' : 'DELETE', idempotent: true })
      return { success: true, status }
    }
  }
}
