import { Type, type Static } from '@sinclair/typebox'
import {
  named, ref, page, parameters, mutationStatus, mutationSuccess,
  Amount, DesiredStatus, Id, Limit, Offset, OptionalText, RequiredText, Text, TrackLimit, UnixTime
} from './common.ts'
import type { Track } from './track.ts'

export const PlaylistCategorySchema = named('PlaylistCategory', 'A category of playlists', {
  key: Text('Identifier, as the parameter category takes it'),
  label: Text('Name for people')
})
export type PlaylistCategory = Static<typeof PlaylistCategorySchema>

export const CreatorSchema = named('Creator', 'Who made a playlist', {
  id: Text('Id of the person'),
  name: Text('Name of the person'),
  avatarUrl: Text('URL of a portrait')
})
export type Creator = Static<typeof CreatorSchema>

export const PlaylistSchema = named('Playlist', 'A playlist without its tracks', {
  id: Text('Id of the playlist'),
  name: Text('Name of the playlist'),
  description: OptionalText('About the playlist', { default: '' }),
  coverUrl: OptionalText('URL of the cover', { default: '' }),
  trackCount: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Number of tracks' })),
  playCount: Type.Optional(Amount('How often it was played')),
  favoriteCount: Type.Optional(Amount('How many people have it among their favourites')),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Tags' })),
  creator: Type.Optional(ref<Creator>('Creator')),
  createdAt: UnixTime('Time of creation'),
  updatedAt: UnixTime('Time of the last change')
})
export type Playlist = Static<typeof PlaylistSchema>

export const PlaylistDetailSchema = named('PlaylistDetail', 'A playlist with its tracks', {
  ...PlaylistSchema.properties,
  tracks: Type.Array(ref<Track>('Track'), { description: 'Tracks of the playlist, in order' })
})
export type PlaylistDetail = Static<typeof PlaylistDetailSchema>

export const PlaylistPageSchema = page<Playlist>('Playlist')
export type PlaylistPage = Static<typeof PlaylistPageSchema>

const id = Id('playlist')
const Name = RequiredText('Name of the playlist')
const membership = parameters({ playlistId: id, trackId: Id('track') })

export const playlistOperations = {
  getPlaylists: {
    summary: 'Playlists',
    parameters: parameters({
      offset: Offset,
      limit: Limit(20, 50),
      category: OptionalText('Key of a category; blank = all')
    }),
    data: ref<PlaylistPage>('PlaylistPage')
  },
  getPlaylistCategories: {
    summary: 'Categories of playlists',
    parameters: parameters({}),
    data: Type.Array(ref<PlaylistCategory>('PlaylistCategory'))
  },
  getRecommendedPlaylist: {
    summary: 'Recommended playlists',
    parameters: parameters({ offset: Offset, limit: Limit(20, 50) }),
    data: ref<PlaylistPage>('PlaylistPage')
  },
  getPlaylistDetail: {
    summary: 'A playlist with its tracks',
    parameters: parameters({
      id,
      trackLimit: TrackLimit,
      sort: OptionalText('Key of one of the playlistSortOptions; blank = the order of the source'),
      order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
        description: 'Direction of sort, asc if left out; ignored without sort'
      }))
    }),
    data: ref<PlaylistDetail>('PlaylistDetail')
  },
  createPlaylist: {
    summary: 'Create a playlist',
    parameters: parameters({ name: Name }),
    data: ref<Playlist>('Playlist')
  },
  updatePlaylist: {
    summary: 'Change the name and description of a playlist',
    parameters: parameters({ id, name: Name, description: Type.String({ default: '', description: 'About the playlist' }) }),
    data: ref<Playlist>('Playlist')
  },
  deletePlaylist: { summary: 'Delete a playlist', parameters: parameters({ id }), data: mutationSuccess },
  addTrackToPlaylist: { summary: 'Add a track to a playlist', parameters: membership, data: mutationSuccess },
  removeTrack: { summary: 'Remove a track from a playlist', parameters: membership, data: mutationSuccess },
  favoritePlaylist: {
    summary: 'Make a playlist a favourite, or no longer',
    parameters: parameters({ id, status: DesiredStatus }),
    data: mutationStatus
  }
}
