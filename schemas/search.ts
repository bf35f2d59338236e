import { Type, type Static } from '@sinclair/typebox'
import { named, ref, parameters, Keyword, Limit, Offset } from './common.ts'
import type { Album, AlbumPage } from './album.ts'
import type { Artist, ArtistPage } from './artist.ts'
import type { PlaylistPage } from './playlist.ts'
import type { Track, TrackPage } from './track.ts'

export const SearchSuggestSchema = named('SearchSuggest', 'The best matches of each kind', {
  songs: Type.Array(ref<Track>('Track'), { description: 'Tracks' }),
  artists: Type.Array(ref<Artist>('Artist'), { description: 'Artists' }),
  albums: Type.Array(ref<Album>('Album'), { description: 'Albums' })
})
export type SearchSuggest = Static<typeof SearchSuggestSchema>

const search = parameters({ keyword: Keyword, offset: Offset, limit: Limit(20, 100) })

export const searchOperations = {
  searchSuggest: {
    summary: 'The best matches of each kind',
    parameters: parameters({ keyword: Keyword }),
    data: ref<SearchSuggest>('SearchSuggest')
  },
  searchTracks: { summary: 'Search tracks', parameters: search, data: ref<TrackPage>('TrackPage') },
  searchArtists: { summary: 'Search artists', parameters: search, data: ref<ArtistPage>('ArtistPage') },
  searchAlbums: { summary: 'Search albums', parameters: search, data: ref<AlbumPage>('AlbumPage') },
  searchPlaylists: { summary: 'Search playlists', parameters: search, data: ref<PlaylistPage>('PlaylistPage') }
}
