import { Type } from '@sinclair/typebox'
import { AlbumPageSchema, type AlbumPage, AlbumSchema, type Album } from './album.ts'
import { ArtistPageSchema, type ArtistPage, ArtistSchema, type Artist } from './artist.ts'
import { named, ref, parameters, Keyword, Limit, Offset, type Data, type Resource } from './common.ts'
import { PlaylistPageSchema, type PlaylistPage } from './playlist.ts'
import { TrackPageSchema, type TrackPage, TrackSchema, type Track } from './track.ts'

export const SearchSuggestSchema = named('SearchSuggest', 'The best matches of each kind', {
  songs: Type.Array(ref<Track>(TrackSchema), { description: 'Tracks' }),
  artists: Type.Array(ref<Artist>(ArtistSchema), { description: 'Artists' }),
  albums: Type.Array(ref<Album>(AlbumSchema), { description: 'Albums' })
})
export interface SearchSuggest extends Data<typeof SearchSuggestSchema>, Resource {}

const search = parameters({ keyword: Keyword, offset: Offset, limit: Limit(20, 100) })

export default {
  searchSuggest: {
    summary: 'Suggest matches while typing',
    description: 'Returns a few of the best tracks, artists and albums for a keyword that may not be complete yet.',
    parameters: parameters({ keyword: Keyword }),
    data: ref<SearchSuggest>(SearchSuggestSchema)
  },
  searchTracks: {
    summary: 'Search tracks',
    description: 'Returns one page of the tracks that match, the best first.',
    parameters: search,
    data: ref<TrackPage>(TrackPageSchema)
  },
  searchArtists: {
    summary: 'Search artists',
    description: 'Returns one page of the artists that match, the best first.',
    parameters: search,
    data: ref<ArtistPage>(ArtistPageSchema)
  },
  searchAlbums: {
    summary: 'Search albums',
    description: 'Returns one page of the albums that match, the best first.',
    parameters: search,
    data: ref<AlbumPage>(AlbumPageSchema)
  },
  searchPlaylists: {
    summary: 'Search playlists',
    description: 'Returns one page of the playlists that match, the best first.',
    parameters: search,
    data: ref<PlaylistPage>(PlaylistPageSchema)
  }
}
