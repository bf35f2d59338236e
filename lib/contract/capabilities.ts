import type { AdapterMethod } from './operations.ts'

/** A row of the capabilities table: declared when all its methods are functions. */
export interface Capability {
  readonly name: string
  readonly methods: readonly AdapterMethod[]
  readonly stateful: boolean
}

const row = (name: string, methods: readonly AdapterMethod[], stateful = false): Capability =>
  Object.freeze({ name, methods: Object.freeze(methods), stateful })

/**
 * The capabilities in the order in which `GET /v1/status` declares them (docs/reference/contract.md, Capabilities).
 * Frozen.
 */
export const capabilities: readonly Capability[] = Object.freeze([
  row('playlists', ['getPlaylists']),
  row('playlistCategory', ['getPlaylistCategories']),
  row('playlistMutation', [
    'createPlaylist', 'deletePlaylist', 'updatePlaylist', 'addTrackToPlaylist', 'removeTrack'
  ], true),
  row('playlistFavorite', ['favoritePlaylist'], true),
  row('toplist', ['getToplist']),
  row('toplistTracks', ['getToplistTracks']),
  row('newTracks', ['getNewTracks']),
  row('topArtists', ['getTopArtists']),
  row('songDetail', ['getTrackDetail']),
  row('similarTracks', ['getSimilarTracks']),
  row('songUrl', ['getTrackUrl']),
  row('lyrics', ['getTrackLyrics']),
  row('streaming', ['getTrackUrl']),
  row('searchSuggest', ['searchSuggest']),
  row('searchTracks', ['searchTracks']),
  row('searchArtists', ['searchArtists']),
  row('searchAlbums', ['searchAlbums']),
  row('searchPlaylists', ['searchPlaylists']),
  row('artistDetail', ['getArtistDetail']),
  row('albumDetail', ['getAlbumDetail']),
  row('trackFavorite', ['favoriteTrack'], true),
  row('favoriteTracks', ['userFavoriteTracks'], true),
  row('userPlaylists', ['getUserPlaylist'], true),
  row('userProfile', ['getUserMe'], true),
  row('roamTracks', ['getRoamTracks']),
  row('dailyTracks', ['getDailyTracks'])
])
