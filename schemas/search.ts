import { Type, type Static } from '@sinclair/typebox'
import { AlbumPageSchema, AlbumSchema } from './album.ts'
import { ArtistPageSchema, ArtistSchema } from './artist.ts'
import { named, ref, parameters, Keyword, Limit, Offset } from './common.ts'
import { PlaylistPageSchema } from './playlist.ts'
import { TrackPageSchema, TrackSchema } from './track.ts'

export const SearchSuggestSchema = named('SearchSuggest', 'The best matches of each kind', {
  songs: Type.Array(ref(TrackSchema), { description: 'Tracks' }),
  artists: Type.Array(ref(ArtistSchema), { description: 'Artists' }),
  albums: Type.Array(ref(AlbumSchema), { description: 'Albums' })
})
export interface SearchSuggest extends Static<typeof SearchSuggestSchema> {}

const search = parameters({ keyword: Keyword, offset: Offset, limit: Limit(20, 100) })

export default {
  searchSuggest: {
    summary: 'Suggest matches while typing',
    description: 'Answers a few of the best tracks, artists and albums for a keyword that may not be complete yet.',
    parameters: parameters({ keyword: Keyword }),
    data: ref(SearchSuggestSchema)
  },
  searchTracks: {
    summary: 'Search tracks',
    description: 'Answers one page of the tracks that match, the best first.',
    parameters: search,
    data: ref(TrackPageSchema)
  },
  searchArtists: {
    summary: 'Search artists',
    description: 'Answers one page of the artists that match, the best first.',
    parameters: search,
    data: ref(ArtistPageSchema)
  },
  searchAlbums: {
    summary: 'Search albums',
    description: 'Answers one page of the albums that match, the best first.',
    parameters: search,
    data: ref(AlbumPageSchema)
  },
  searchPlaylists: {
    summary: 'Search playlists',
    description: 'Answers one page of the playlists that match, the best first.',
    parameters: search,
    data: ref(PlaylistPageSchema)
  }
}
