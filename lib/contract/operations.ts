/**
 * The operations table (docs/contract.md, Operations): plain data without any import, since clients in browsers use it too.
 * `adapterMethod` is also the operationId. `parameters` are in the order of the adapter method's arguments.
 * `offeredBy` names the list of the context that a parameter's value must be a key of.
 */
const rows = [
  { method: 'GET', path: '/v1/playlist/list', adapterMethod: 'getPlaylists', parameters: ['offset', 'limit', 'category'], tag: 'playlist', stateful: false },
  { method: 'GET', path: '/v1/playlist/category', adapterMethod: 'getPlaylistCategories', parameters: [], tag: 'playlist', stateful: false },
  { method: 'GET', path: '/v1/playlist/recommended', adapterMethod: 'getRecommendedPlaylist', parameters: ['offset', 'limit'], tag: 'playlist', stateful: false },
  { method: 'GET', path: '/v1/playlist/detail', adapterMethod: 'getPlaylistDetail', parameters: ['id', 'trackLimit', 'sort', 'order'], tag: 'playlist', stateful: false, offeredBy: { sort: 'playlistSortOptions' } },
  { method: 'POST', path: '/v1/playlist/create', adapterMethod: 'createPlaylist', parameters: ['name'], tag: 'playlist', stateful: true },
  { method: 'POST', path: '/v1/playlist/update', adapterMethod: 'updatePlaylist', parameters: ['id', 'name', 'description'], tag: 'playlist', stateful: true },
  { method: 'POST', path: '/v1/playlist/delete', adapterMethod: 'deletePlaylist', parameters: ['id'], tag: 'playlist', stateful: true },
  { method: 'POST', path: '/v1/playlist/addTrack', adapterMethod: 'addTrackToPlaylist', parameters: ['playlistId', 'trackId'], tag: 'playlist', stateful: true },
  { method: 'POST', path: '/v1/playlist/removeTrack', adapterMethod: 'removeTrack', parameters: ['playlistId', 'trackId'], tag: 'playlist', stateful: true },
  { method: 'POST', path: '/v1/playlist/favorite', adapterMethod: 'favoritePlaylist', parameters: ['id', 'status'], tag: 'playlist', stateful: true },
  { method: 'GET', path: '/v1/toplist/list', adapterMethod: 'getToplist', parameters: [], tag: 'toplist', stateful: false },
  { method: 'GET', path: '/v1/toplist/detail', adapterMethod: 'getToplistTracks', parameters: ['id', 'offset', 'limit'], tag: 'toplist', stateful: false },
  { method: 'GET', path: '/v1/track', adapterMethod: 'getTrackDetail', parameters: ['id'], tag: 'track', stateful: false },
  { method: 'GET', path: '/v1/track/similar', adapterMethod: 'getSimilarTracks', parameters: ['id'], tag: 'track', stateful: false },
  { method: 'GET', path: '/v1/track/url', adapterMethod: 'getTrackUrl', parameters: ['id', 'quality'], tag: 'track', stateful: false, offeredBy: { quality: 'qualityMap' } },
  { method: 'GET', path: '/v1/track/lyrics', adapterMethod: 'getTrackLyrics', parameters: ['id'], tag: 'track', stateful: false },
  { method: 'GET', path: '/v1/track/new', adapterMethod: 'getNewTracks', parameters: [], tag: 'track', stateful: false },
  { method: 'GET', path: '/v1/track/daily', adapterMethod: 'getDailyTracks', parameters: [], tag: 'track', stateful: false },
  { method: 'GET', path: '/v1/track/roam', adapterMethod: 'getRoamTracks', parameters: [], tag: 'track', stateful: false },
  { method: 'POST', path: '/v1/track/favorite', adapterMethod: 'favoriteTrack', parameters: ['id', 'status'], tag: 'track', stateful: true },
  { method: 'GET', path: '/v1/search/suggest', adapterMethod: 'searchSuggest', parameters: ['keyword'], tag: 'search', stateful: false },
  { method: 'GET', path: '/v1/search/tracks', adapterMethod: 'searchTracks', parameters: ['keyword', 'offset', 'limit'], tag: 'search', stateful: false },
  { method: 'GET', path: '/v1/search/artists', adapterMethod: 'searchArtists', parameters: ['keyword', 'offset', 'limit'], tag: 'search', stateful: false },
  { method: 'GET', path: '/v1/search/albums', adapterMethod: 'searchAlbums', parameters: ['keyword', 'offset', 'limit'], tag: 'search', stateful: false },
  { method: 'GET', path: '/v1/search/playlists', adapterMethod: 'searchPlaylists', parameters: ['keyword', 'offset', 'limit'], tag: 'search', stateful: false },
  { method: 'GET', path: '/v1/artist/top', adapterMethod: 'getTopArtists', parameters: [], tag: 'artist', stateful: false },
  { method: 'GET', path: '/v1/artist/detail', adapterMethod: 'getArtistDetail', parameters: ['id', 'trackLimit'], tag: 'artist', stateful: false },
  { method: 'GET', path: '/v1/artist/tracks', adapterMethod: 'getArtistTracks', parameters: ['id', 'order', 'offset', 'limit'], tag: 'artist', stateful: false },
  { method: 'GET', path: '/v1/artist/albums', adapterMethod: 'getArtistAlbums', parameters: ['id', 'offset', 'limit'], tag: 'artist', stateful: false },
  { method: 'POST', path: '/v1/artist/favorite', adapterMethod: 'favoriteArtist', parameters: ['id', 'status'], tag: 'artist', stateful: true },
  { method: 'GET', path: '/v1/album/detail', adapterMethod: 'getAlbumDetail', parameters: ['id', 'trackLimit'], tag: 'album', stateful: false },
  { method: 'POST', path: '/v1/album/favorite', adapterMethod: 'favoriteAlbum', parameters: ['id', 'status'], tag: 'album', stateful: true },
  { method: 'GET', path: '/v1/user/me', adapterMethod: 'getUserMe', parameters: [], tag: 'user', stateful: true },
  { method: 'GET', path: '/v1/user/playlist/list', adapterMethod: 'getUserPlaylist', parameters: [], tag: 'user', stateful: true },
  { method: 'GET', path: '/v1/user/favorite/tracks', adapterMethod: 'userFavoriteTracks', parameters: [], tag: 'user', stateful: true },
  { method: 'GET', path: '/v1/user/artist/list', adapterMethod: 'userArtists', parameters: [], tag: 'user', stateful: true },
  { method: 'GET', path: '/v1/user/album/list', adapterMethod: 'userAlbums', parameters: [], tag: 'user', stateful: true }
] as const

/** Name of an operation: the adapter method that answers it, and its operationId. */
export type AdapterMethod = Row['adapterMethod']

type Row = typeof rows[number]

/** An operation that only reads. */
export type ReadMethod = Extract<Row, { method: 'GET' }>['adapterMethod']

/** An operation that changes something. */
export type MutationMethod = Extract<Row, { method: 'POST' }>['adapterMethod']

/** A row of the operations table. */
export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly adapterMethod: AdapterMethod
  readonly parameters: readonly string[]
  readonly tag: string
  readonly stateful: boolean
  readonly offeredBy?: Readonly<Record<string, 'qualityMap' | 'playlistSortOptions'>>
}

/** Names of the parameters of an operation, in the order of the adapter method's arguments. */
export type ParameterNames<M extends AdapterMethod> = Extract<Row, { adapterMethod: M }>['parameters']

function deepFreeze<T extends object> (value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object') deepFreeze(member)
  return Object.freeze(value)
}

/** Every operation that an adapter answers (docs/contract.md, Operations). Frozen. */
export const operations: readonly Operation[] = deepFreeze(rows)

/** What the SDK answers by itself (docs/contract.md, Public routes and Operations). */
export const sdkPaths = Object.freeze({ serviceStatus: '/status', openApi: '/openapi.json', status: '/v1/status' })

/** Old paths that answer 308 to the operation they are now (docs/contract.md, Public routes). */
export const redirects: readonly { readonly path: string, readonly to: AdapterMethod }[] = /* @__PURE__ */ deepFreeze([
  { path: '/v1/track/fm', to: 'getRoamTracks' },
  { path: '/v1/track/lyric', to: 'getTrackLyrics' }
])
