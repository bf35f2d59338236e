import { Type, type Static } from '@sinclair/typebox'
import { named, ref, parameters, Text } from './common.ts'
import type { Album } from './album.ts'
import type { Artist } from './artist.ts'
import type { Playlist } from './playlist.ts'
import type { Track } from './track.ts'

export const UserProfileSchema = named('UserProfile', 'The account behind the source', {
  userId: Text('Id of the account'),
  nickname: Text('Name for people'),
  avatar: Text('URL of a portrait'),
  platform: Text('Name of the platform')
})
export type UserProfile = Static<typeof UserProfileSchema>

export const userOperations = {
  getUserMe: { summary: 'The account', parameters: parameters({}), data: ref<UserProfile>('UserProfile') },
  getUserPlaylist: { summary: 'Playlists of the account', parameters: parameters({}), data: Type.Array(ref<Playlist>('Playlist')) },
  userFavoriteTracks: { summary: 'Favourite tracks of the account', parameters: parameters({}), data: Type.Array(ref<Track>('Track')) },
  userArtists: { summary: 'Favourite artists of the account, all of them', parameters: parameters({}), data: Type.Array(ref<Artist>('Artist')) },
  userAlbums: { summary: 'Favourite albums of the account, all of them', parameters: parameters({}), data: Type.Array(ref<Album>('Album')) }
}
