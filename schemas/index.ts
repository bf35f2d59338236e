import { MutationSuccessSchema, MutationStatusSchema, ErrorResponseSchema } from './common.ts'
import { QualityOptionSchema, PlaylistSortOptionSchema, StatusSchema, ServiceStatusSchema } from './status.ts'
import { ArtistSchema, ArtistDetailSchema, ArtistPageSchema } from './artist.ts'
import { AlbumSchema, AlbumDetailSchema, AlbumPageSchema } from './album.ts'
import { TrackQualitySchema, TrackSchema, TrackPageSchema, TrackUrlSchema, TrackLyricsSchema } from './track.ts'
import {
  PlaylistCategorySchema, CreatorSchema,
  PlaylistSchema, PlaylistDetailSchema, PlaylistPageSchema
} from './playlist.ts'
import { ToplistTrackSummarySchema, ToplistSchema, ToplistGroupSchema } from './toplist.ts'
import { SearchSuggestSchema } from './search.ts'
import { UserProfileSchema } from './user.ts'

export {
  schemaName, wireSchema, MutationSuccessSchema, MutationStatusSchema, ErrorResponseSchema, type MutationSuccess,
  type MutationStatus, type ErrorResponse
} from './common.ts'
export {
  QualityOptionSchema, PlaylistSortOptionSchema, StatusSchema, ServiceStatusSchema, type QualityOption,
  type PlaylistSortOption, type Status, type ServiceStatus
} from './status.ts'
export {
  ArtistSchema, ArtistDetailSchema, ArtistPageSchema, type Artist, type ArtistDetail, type ArtistPage
} from './artist.ts'
export {
  AlbumSchema, AlbumDetailSchema, AlbumPageSchema, type Album, type AlbumDetail, type AlbumPage
} from './album.ts'
export {
  TrackQualitySchema, TrackSchema, TrackPageSchema, TrackUrlSchema, TrackLyricsSchema, type TrackQuality, type Track,
  type TrackPage, type TrackUrl, type TrackLyrics
} from './track.ts'
export {
  PlaylistCategorySchema, CreatorSchema, PlaylistSchema, PlaylistDetailSchema, PlaylistPageSchema,
  type PlaylistCategory, type Creator, type Playlist, type PlaylistDetail, type PlaylistPage
} from './playlist.ts'
export {
  ToplistTrackSummarySchema, ToplistSchema, ToplistGroupSchema, type ToplistTrackSummary, type Toplist,
  type ToplistGroup
} from './toplist.ts'
export {
  SearchSuggestSchema, type SearchSuggest
} from './search.ts'
export {
  UserProfileSchema, type UserProfile
} from './user.ts'

/** Every named schema of the contract, as adapters answer it. */
export const schemas = [
  QualityOptionSchema,
  PlaylistSortOptionSchema,
  PlaylistCategorySchema,
  StatusSchema,
  ServiceStatusSchema,
  ArtistSchema,
  AlbumSchema,
  TrackQualitySchema,
  TrackSchema,
  TrackUrlSchema,
  TrackLyricsSchema,
  CreatorSchema,
  PlaylistSchema,
  PlaylistDetailSchema,
  ToplistTrackSummarySchema,
  ToplistSchema,
  ToplistGroupSchema,
  ArtistDetailSchema,
  AlbumDetailSchema,
  SearchSuggestSchema,
  UserProfileSchema,
  MutationSuccessSchema,
  MutationStatusSchema,
  PlaylistPageSchema,
  TrackPageSchema,
  ArtistPageSchema,
  AlbumPageSchema,
  ErrorResponseSchema
]
