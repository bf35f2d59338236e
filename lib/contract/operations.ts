/** Names the list of the context that a parameter's value must be a key of. */
type OfferedBy = Readonly<Record<string, 'qualityMap' | 'playlistSortOptions'>>

const row = <M extends 'GET' | 'POST'>(method: M) => <const N extends string, const P extends readonly string[]>(
  path: string, adapterMethod: N, parameters: P, offeredBy: OfferedBy = {}
) => {
  const tag = path.split('/')[2]!
  const stateful = method === 'POST' || tag === 'user'
  for (const list of [parameters, offeredBy]) Object.freeze(list)
  return Object.freeze({ method, path, adapterMethod, parameters, tag, stateful, offeredBy })
}

const get = row('GET')
const post = row('POST')

/**
 * The operations table (docs/reference/contract.md, Operations). It has no imports because browser clients use it too.
 * A row has the path, the adapter method, which is also the operationId, and the parameters in the order of the
 * method's arguments.
 */
const rows = [
  get('/v1/playlist/list', 'getPlaylists', ['offset', 'limit', 'category']),
  get('/v1/playlist/category', 'getPlaylistCategories', []),
  get('/v1/playlist/recommended', 'getRecommendedPlaylist', ['offset', 'limit']),
  get('/v1/playlist/detail', 'getPlaylistDetail', ['id', 'trackLimit', 'sort', 'order'], {
    sort: 'playlistSortOptions'
  }),
  post('/v1/playlist/create', 'createPlaylist', ['name']),
  post('/v1/playlist/update', 'updatePlaylist', ['id', 'name', 'description']),
  post('/v1/playlist/delete', 'deletePlaylist', ['id']),
  post('/v1/playlist/addTrack', 'addTrackToPlaylist', ['playlistId', 'trackId']),
  post('/v1/playlist/removeTrack', 'removeTrack', ['playlistId', 'trackId']),
  post('/v1/playlist/favorite', 'favoritePlaylist', ['id', 'status']),
  get('/v1/toplist/list', 'getToplist', []),
  get('/v1/toplist/detail', 'getToplistTracks', ['id', 'offset', 'limit']),
  get('/v1/track', 'getTrackDetail', ['id']),
  get('/v1/track/similar', 'getSimilarTracks', ['id']),
  get('/v1/track/url', 'getTrackUrl', ['id', 'quality'], { quality: 'qualityMap' }),
  get('/v1/track/lyrics', 'getTrackLyrics', ['id']),
  get('/v1/track/new', 'getNewTracks', []),
  get('/v1/track/daily', 'getDailyTracks', []),
  get('/v1/track/roam', 'getRoamTracks', []),
  post('/v1/track/favorite', 'favoriteTrack', ['id', 'status']),
  get('/v1/search/suggest', 'searchSuggest', ['keyword']),
  get('/v1/search/tracks', 'searchTracks', ['keyword', 'offset', 'limit']),
  get('/v1/search/artists', 'searchArtists', ['keyword', 'offset', 'limit']),
  get('/v1/search/albums', 'searchAlbums', ['keyword', 'offset', 'limit']),
  get('/v1/search/playlists', 'searchPlaylists', ['keyword', 'offset', 'limit']),
  get('/v1/artist/top', 'getTopArtists', []),
  get('/v1/artist/detail', 'getArtistDetail', ['id', 'trackLimit']),
  get('/v1/artist/tracks', 'getArtistTracks', ['id', 'order', 'offset', 'limit']),
  get('/v1/artist/albums', 'getArtistAlbums', ['id', 'offset', 'limit']),
  post('/v1/artist/favorite', 'favoriteArtist', ['id', 'status']),
  get('/v1/album/detail', 'getAlbumDetail', ['id', 'trackLimit']),
  post('/v1/album/favorite', 'favoriteAlbum', ['id', 'status']),
  get('/v1/user/me', 'getUserMe', []),
  get('/v1/user/playlist/list', 'getUserPlaylist', []),
  get('/v1/user/favorite/tracks', 'userFavoriteTracks', []),
  get('/v1/user/artist/list', 'userArtists', []),
  get('/v1/user/album/list', 'userAlbums', [])
] as const

/** The name of an operation: its adapter method, which is also its operationId. */
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
  /** The second part of the path. */
  readonly tag: string
  /** If `true`, the operation changes data or reads data of the account. */
  readonly stateful: boolean
  readonly offeredBy: OfferedBy
}

/** The names of an operation's parameters, in the order of the adapter method's arguments. */
export type ParameterNames<M extends AdapterMethod> = Extract<Row, { adapterMethod: M }>['parameters']

/** Every operation that an adapter can implement (docs/reference/contract.md, Operations). Frozen. */
export const operations: readonly Operation[] = Object.freeze(rows)

const byMethod = new Map(operations.map(operation => [operation.adapterMethod, operation]))

/** Returns the row of an adapter method in the operations table. */
export const operationOf = (method: AdapterMethod): Operation => byMethod.get(method)!

/** Old paths that redirect (308) to the current operation (docs/reference/contract.md, Public routes). */
export const redirects: readonly { readonly path: string, readonly to: AdapterMethod }[] = Object.freeze([
  Object.freeze({ path: '/v1/track/fm', to: 'getRoamTracks' }),
  Object.freeze({ path: '/v1/track/lyric', to: 'getTrackLyrics' })
])

/** Paths that the SDK handles itself (docs/reference/contract.md, Public routes and Operations). */
export const serviceStatusPath = '/status'
export const openApiPath = '/openapi.json'
/** Development only: the log lines of a source, for the check and the page, and the responses of its library. */
export const developmentPath = '/v1/development'

export const statusPath = '/v1/status'
