import { Type } from '@sinclair/typebox'
import {
  named, ref, page, parameters, Amount, DesiredStatus, Id, Limit, Offset, OptionalText, RequiredText, Text,
  TrackLimit, UnixTime, type Data, type Resource
} from './common.ts'
import { extras, type PlaylistExtras } from './extras.ts'
import { MutationStatusSchema, type MutationStatus, MutationSuccessSchema, type MutationSuccess } from './mutation.ts'
import { TrackSchema, type Track } from './track.ts'

export const PlaylistCategorySchema = named('PlaylistCategory', 'A category of playlists', {
  key: Text('Identifier, as the parameter category takes it'),
  label: Text('Name for people')
})
export interface PlaylistCategory extends Data<typeof PlaylistCategorySchema>, Resource {}

export const CreatorSchema = named('Creator', 'Who made a playlist', {
  id: Text('Id of the person'),
  name: Text('Name of the person'),
  avatarUrl: Text('URL of a portrait')
})
export interface Creator extends Data<typeof CreatorSchema>, Resource {}

export const PlaylistSchema = named('Playlist', 'A playlist without its tracks', {
  id: Text('Id of the playlist'),
  name: Text('Name of the playlist'),
  description: OptionalText('About the playlist', { default: '' }),
  coverUrl: OptionalText('URL of the cover', { default: '' }),
  trackCount: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Number of tracks' })),
  playCount: Type.Optional(Amount('How often it was played')),
  favoriteCount: Type.Optional(Amount('How many people have it among their favourites')),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Tags' })),
  creator: Type.Optional(ref<Creator>(CreatorSchema)),
  createdAt: UnixTime('Time of creation'),
  updatedAt: UnixTime('Time of the last change')
})
export interface Playlist extends Data<typeof PlaylistSchema>, Resource {
  [extras]?: PlaylistExtras | undefined
}

export const PlaylistDetailSchema = named('PlaylistDetail', 'A playlist with its tracks', {
  ...PlaylistSchema.properties,
  tracks: Type.Array(ref<Track>(TrackSchema), { description: 'Tracks of the playlist, in order' })
})
export interface PlaylistDetail extends Data<typeof PlaylistDetailSchema>, Resource {
  [extras]?: PlaylistExtras | undefined
}

export const PlaylistPageSchema = page<Playlist>(PlaylistSchema)
export interface PlaylistPage extends Data<typeof PlaylistPageSchema>, Resource {}

const id = Id('playlist')
const Name = RequiredText('Name of the playlist')
const membership = parameters({ playlistId: id, trackId: Id('track') })

export default {
  getPlaylists: {
    summary: 'List playlists',
    description: 'Returns one page of the playlists of the source, of one category if one is given.',
    parameters: parameters({
      offset: Offset,
      limit: Limit(20, 50),
      category: OptionalText('Key of a category; blank = all')
    }),
    data: ref<PlaylistPage>(PlaylistPageSchema)
  },
  getPlaylistCategories: {
    summary: 'List the categories of playlists',
    description: 'Returns the categories that getPlaylists can be asked for.',
    parameters: parameters({}),
    data: Type.Array(ref<PlaylistCategory>(PlaylistCategorySchema))
  },
  getRecommendedPlaylist: {
    summary: 'List recommended playlists',
    description: 'Returns one page of the playlists that the source recommends to this caller.',
    parameters: parameters({ offset: Offset, limit: Limit(20, 50) }),
    data: ref<PlaylistPage>(PlaylistPageSchema)
  },
  getPlaylistDetail: {
    summary: 'Get a playlist with its tracks',
    description: 'Returns the playlist and its tracks, in the order of the source or in the one asked for.',
    parameters: parameters({
      id,
      trackLimit: TrackLimit,
      sort: OptionalText('Key of one of the playlistSortOptions; blank = the order of the source'),
      order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
        description: 'Direction of sort; asc if left out, ignored without sort'
      }))
    }),
    data: ref<PlaylistDetail>(PlaylistDetailSchema)
  },
  createPlaylist: {
    summary: 'Create a playlist',
    description: 'Creates an empty playlist of the account and returns it.',
    parameters: parameters({ name: Name }),
    data: ref<Playlist>(PlaylistSchema)
  },
  updatePlaylist: {
    summary: 'Change the name and description of a playlist',
    description: 'Replaces name and description of one of the account\'s playlists and returns it as it is then.',
    parameters: parameters({
      id, name: Name, description: Type.String({ default: '', description: 'About the playlist; left out = empty' })
    }),
    data: ref<Playlist>(PlaylistSchema)
  },
  deletePlaylist: {
    summary: 'Delete a playlist',
    description: 'Deletes one of the account\'s playlists.',
    parameters: parameters({ id }),
    data: ref<MutationSuccess>(MutationSuccessSchema)
  },
  addTrackToPlaylist: {
    summary: 'Add a track to a playlist',
    description: 'Adds a track to one of the account\'s playlists.',
    parameters: membership,
    data: ref<MutationSuccess>(MutationSuccessSchema)
  },
  removeTrack: {
    summary: 'Remove a track from a playlist',
    description: 'Removes a track from one of the account\'s playlists.',
    parameters: membership,
    data: ref<MutationSuccess>(MutationSuccessSchema)
  },
  favoritePlaylist: {
    summary: 'Add a playlist to the favourites or remove it',
    description: 'Sets whether the playlist is one of the account\'s favourites, and returns the state after the call.',
    parameters: parameters({ id, status: DesiredStatus }),
    data: ref<MutationStatus>(MutationStatusSchema)
  }
}
