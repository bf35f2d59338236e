import { Type } from '@sinclair/typebox'
import { AlbumSchema, type Album } from './album.ts'
import { ArtistSchema, type Artist } from './artist.ts'
import { named, ref, parameters, Text, type Data, type Resource } from './common.ts'
import { PlaylistSchema, type Playlist } from './playlist.ts'
import { TrackSchema, type Track } from './track.ts'

export const UserProfileSchema = named('UserProfile', 'The account behind the source', {
  userId: Text('Id of the account'),
  nickname: Text('Name for people'),
  avatar: Text('URL of a portrait'),
  platform: Text('Name of the platform')
})
export interface UserProfile extends Data<typeof UserProfileSchema>, Resource {}

export default {
  getUserMe: {
    summary: 'Get the account',
    description: 'Returns the profile of the account behind this source.',
    parameters: parameters({}),
    data: ref<UserProfile>(UserProfileSchema)
  },
  getUserPlaylist: {
    summary: 'List the playlists of the account',
    description: 'Returns the playlists that the account made and those among its favourites, all of them.',
    parameters: parameters({}),
    data: Type.Array(ref<Playlist>(PlaylistSchema))
  },
  userFavoriteTracks: {
    summary: 'List the favourite tracks of the account',
    description: 'Returns the favourite tracks, all of them.',
    parameters: parameters({}),
    data: Type.Array(ref<Track>(TrackSchema))
  },
  userArtists: {
    summary: 'List the favourite artists of the account',
    description: 'Returns the favourite artists, all of them.',
    parameters: parameters({}),
    data: Type.Array(ref<Artist>(ArtistSchema))
  },
  userAlbums: {
    summary: 'List the favourite albums of the account',
    description: 'Returns the favourite albums, all of them.',
    parameters: parameters({}),
    data: Type.Array(ref<Album>(AlbumSchema))
  }
}
