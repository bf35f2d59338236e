import { StatusSchema, ServiceStatusSchema, QualityOptionSchema, PlaylistSortOptionSchema } from './status.ts'
import { ArtistSchema, ArtistDetailSchema, ArtistPageSchema, artistOperations } from './artist.ts'
import { AlbumSchema, AlbumDetailSchema, AlbumPageSchema, albumOperations } from './album.ts'
import {
  TrackSchema, TrackQualitySchema, TrackPageSchema, TrackUrlSchema, TrackLyricsSchema, trackOperations
} from './track.ts'
import {
  PlaylistSchema, PlaylistCategorySchema, PlaylistDetailSchema, PlaylistPageSchema, CreatorSchema, playlistOperations
} from './playlist.ts'
import { ToplistSchema, ToplistGroupSchema, ToplistTrackSummarySchema, toplistOperations } from './toplist.ts'
import { SearchSuggestSchema, searchOperations } from './search.ts'
import { UserProfileSchema, userOperations } from './user.ts'
import { ErrorResponseSchema, MutationStatusSchema, MutationSuccessSchema } from './common.ts'

export * from './status.ts'
export * from './artist.ts'
export * from './album.ts'
export * from './track.ts'
export * from './playlist.ts'
export * from './toplist.ts'
export * from './search.ts'
export * from './user.ts'
export {
  ErrorResponseSchema, MutationStatusSchema, MutationSuccessSchema, schemaName, wireSchema,
  type ErrorResponse, type MutationStatus, type MutationSuccess
} from './common.ts'

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

/** Summary, parameters and data of every operation, by the adapter method's name. */
export const operationSchemas = {
  ...playlistOperations,
  ...toplistOperations,
  ...trackOperations,
  ...searchOperations,
  ...artistOperations,
  ...albumOperations,
  ...userOperations
}
