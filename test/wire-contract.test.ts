import t from 'tap'
import type { TSchema } from '@sinclair/typebox'
import { capabilities, operations, schemaName, schemas } from 'fastify-source-origin'
import { schemasOf } from '../lib/source-adapter.ts'

// The tables of protocol.md once more, by hand: all else derives from the code's tables, so a slip in these would pass every other test.

const operationsOfTheContract = `
  GET /v1/playlist/list getPlaylists(offset (0), limit (20, max 50), category?) PlaylistPage
  GET /v1/playlist/category getPlaylistCategories() PlaylistCategory[]
  GET /v1/playlist/recommended getRecommendedPlaylist(offset (0), limit (20, max 50)) PlaylistPage
  GET /v1/playlist/detail getPlaylistDetail(id, trackLimit (-1, max 1000), sort?, order?) PlaylistDetail
  POST /v1/playlist/create createPlaylist(name) Playlist S
  POST /v1/playlist/update updatePlaylist(id, name, description ('')) Playlist S
  POST /v1/playlist/delete deletePlaylist(id) MutationSuccess S
  POST /v1/playlist/addTrack addTrackToPlaylist(playlistId, trackId) MutationSuccess S
  POST /v1/playlist/removeTrack removeTrack(playlistId, trackId) MutationSuccess S
  POST /v1/playlist/favorite favoritePlaylist(id, status) MutationStatus S
  GET /v1/toplist/list getToplist() ToplistGroup[]
  GET /v1/toplist/detail getToplistTracks(id, offset (0), limit (100, max 200)) PlaylistDetail
  GET /v1/track getTrackDetail(id) Track
  GET /v1/track/similar getSimilarTracks(id) Track[]
  GET /v1/track/url getTrackUrl(id, quality?) TrackUrl
  GET /v1/track/lyrics getTrackLyrics(id) TrackLyrics
  GET /v1/track/new getNewTracks() Track[]
  GET /v1/track/daily getDailyTracks() Track[]
  GET /v1/track/roam getRoamTracks() Track[]
  POST /v1/track/favorite favoriteTrack(id, status) MutationStatus S
  GET /v1/search/suggest searchSuggest(keyword) SearchSuggest
  GET /v1/search/tracks searchTracks(keyword, offset (0), limit (20, max 100)) TrackPage
  GET /v1/search/artists searchArtists(keyword, offset (0), limit (20, max 100)) ArtistPage
  GET /v1/search/albums searchAlbums(keyword, offset (0), limit (20, max 100)) AlbumPage
  GET /v1/search/playlists searchPlaylists(keyword, offset (0), limit (20, max 100)) PlaylistPage
  GET /v1/artist/top getTopArtists() Artist[]
  GET /v1/artist/detail getArtistDetail(id, trackLimit (-1, max 1000)) ArtistDetail
  GET /v1/artist/tracks getArtistTracks(id, order ('hot'), offset (0), limit (50, max 100)) TrackPage
  GET /v1/artist/albums getArtistAlbums(id, offset (0), limit (50, max 100)) AlbumPage
  POST /v1/artist/favorite favoriteArtist(id, status) MutationStatus S
  GET /v1/album/detail getAlbumDetail(id, trackLimit (-1, max 1000)) AlbumDetail
  POST /v1/album/favorite favoriteAlbum(id, status) MutationStatus S
  GET /v1/user/me getUserMe() UserProfile S
  GET /v1/user/playlist/list getUserPlaylist() Playlist[] S
  GET /v1/user/favorite/tracks userFavoriteTracks() Track[] S
  GET /v1/user/artist/list userArtists() Artist[] S
  GET /v1/user/album/list userAlbums() Album[] S
`

const capabilitiesOfTheContract = `
  playlists: getPlaylists
  playlistCategory: getPlaylistCategories
  playlistMutation: createPlaylist, deletePlaylist, updatePlaylist, addTrackToPlaylist, removeTrack S
  playlistFavorite: favoritePlaylist S
  toplist: getToplist
  toplistTracks: getToplistTracks
  newTracks: getNewTracks
  topArtists: getTopArtists
  songDetail: getTrackDetail
  similarTracks: getSimilarTracks
  songUrl: getTrackUrl
  lyrics: getTrackLyrics
  streaming: getTrackUrl
  searchSuggest: searchSuggest
  searchTracks: searchTracks
  searchArtists: searchArtists
  searchAlbums: searchAlbums
  searchPlaylists: searchPlaylists
  artistDetail: getArtistDetail
  albumDetail: getAlbumDetail
  trackFavorite: favoriteTrack S
  favoriteTracks: userFavoriteTracks S
  userPlaylists: getUserPlaylist S
  userProfile: getUserMe S
  roamTracks: getRoamTracks
  dailyTracks: getDailyTracks
`

const schemasOfTheContract = `
  QualityOption: key string, label string
  PlaylistSortOption: key string, label string
  PlaylistCategory: key string, label string
  Status: type "wow", version string, stateless boolean, capabilities string[], qualityMap QualityOption[],
    playlistSortOptions PlaylistSortOption[]
  Artist: id string, name string, coverUrl? string, favorite? boolean
  Album: id string, name string, coverUrl string, description? string, publishTime? number | null, genre? string,
    language? string, trackCount? integer ≥ 0, artistName? string, favorite? boolean
  TrackQuality: key string, label string, size number ≥ 0, bitrate? integer ≥ 0 | null, format? string,
    description? string
  Track: id string, title string, artists Artist[], album Album, durationMs number ≥ 0, aliases? string[],
    mvId? string | null, favorite? boolean, fee? boolean, qualities? TrackQuality[] = []
  TrackUrl: url string, quality string, format? string = "", bitrate? integer ≥ 0 | null = null, size? number ≥ 0 = 0
  TrackLyrics: lyrics string, wordLyrics? string = "", translatedLyrics? string = ""
  Creator: id string, name string, avatarUrl string
  Playlist: id string, name string, description? string = "", coverUrl? string = "", trackCount? integer ≥ 0 = 0,
    playCount? number ≥ 0, favoriteCount? number ≥ 0, tags? string[], creator? Creator, createdAt? number | null,
    updatedAt? number | null
  PlaylistDetail: id string, name string, description? string = "", coverUrl? string = "", trackCount? integer ≥ 0 = 0,
    playCount? number ≥ 0, favoriteCount? number ≥ 0, tags? string[], creator? Creator, createdAt? number | null,
    updatedAt? number | null, tracks Track[]
  ToplistTrackSummary: name string, artistName string
  Toplist: id string, name string, coverUrl string, updateFrequency string, tracks ToplistTrackSummary[],
    targetType? string
  ToplistGroup: name string, displayType? string, list Toplist[]
  ArtistDetail: id string, name string, coverUrl? string, favorite? boolean, avatarUrl? string, description? string,
    tracks Track[]
  AlbumDetail: id string, name string, coverUrl string, description? string, publishTime? number | null, genre? string,
    language? string, trackCount? integer ≥ 0, artistName? string, favorite? boolean, artist? Artist, tracks Track[]
  SearchSuggest: songs Track[], artists Artist[], albums Album[]
  UserProfile: userId string, nickname string, avatar string, platform string
  MutationSuccess: success boolean
  MutationStatus: success boolean, status boolean
  PlaylistPage: items Playlist[], offset integer ≥ 0, limit integer ≥ 1, hasMore boolean
  TrackPage: items Track[], offset integer ≥ 0, limit integer ≥ 1, hasMore boolean
  ArtistPage: items Artist[], offset integer ≥ 0, limit integer ≥ 1, hasMore boolean
  AlbumPage: items Album[], offset integer ≥ 0, limit integer ≥ 1, hasMore boolean
  ErrorResponse: code integer, message string, data null
`

const normal = (text: string) => text.trim().split(/\n(?= {2}\S|\S)/).map(line => line.replace(/\s+/g, ' ').trim())

function parameter (name: string, schema: TSchema, required: boolean): string {
  const notes = [
    ...(schema.default === undefined ? [] : [typeof schema.default === 'string' ? `'${schema.default}'` : schema.default]),
    ...(schema.maximum === undefined ? [] : [`max ${schema.maximum}`])
  ]
  return name + (required || schema.default !== undefined ? '' : '?') + (notes.length ? ` (${notes.join(', ')})` : '')
}

function type (schema: TSchema): string {
  if (schema.anyOf) return schema.anyOf.map(type).join(' | ')
  if (schema.const) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `${type(schema.items)}[]`
  if (schema.$ref) return schemaName(schema)
  return schema.type + (schema.minimum === undefined ? '' : ` ≥ ${schema.minimum}`)
}

t.test('the operations are those of the contract', async t => {
  t.same(operations.map(({ method, path, adapterMethod, parameters: names, stateful }) => {
    const { parameters, data } = schemasOf(adapterMethod)
    const list = names.map(name => parameter(name, parameters.properties[name]!, parameters.required!.includes(name)))
    return `${method} ${path} ${adapterMethod}(${list.join(', ')}) ${schemaName(data)}${stateful ? ' S' : ''}`
  }), normal(operationsOfTheContract))
})

t.test('the capabilities are those of the contract, in its order', async t => {
  t.same(
    capabilities.map(({ name, methods, stateful }) => `${name}: ${methods.join(', ')}${stateful ? ' S' : ''}`),
    normal(capabilitiesOfTheContract)
  )
})

t.test('the schemas are those of the contract', async t => {
  const rendered = (schemas as TSchema[]).filter(({ title }) => title !== 'ServiceStatus').map(schema => {
    const members = Object.entries<TSchema>(schema.properties).map(([name, member]) => {
      const byDefault = member.default === undefined ? '' : ` = ${JSON.stringify(member.default)}`
      return `${name}${schema.required.includes(name) ? '' : '?'} ${type(member)}${byDefault}`
    })
    return `${schema.title}: ${members.join(', ')}`
  })
  t.same(rendered.sort(), normal(schemasOfTheContract).sort())
})
