import { Type, type Static } from '@sinclair/typebox'
import {
  named, ref, page, parameters, mutationStatus, Count, DesiredStatus, Flag, Id, OptionalText, Text, TrackLimit, UnixTime
} from './common.ts'
import type { Artist } from './artist.ts'
import type { Track } from './track.ts'

export const AlbumSchema = named('Album', 'A release', {
  id: Text('Id of the album'),
  name: Text('Title of the album'),
  coverUrl: Text('URL of the cover'),
  description: OptionalText('About the album'),
  publishTime: UnixTime('Time of publication'),
  genre: OptionalText('Genre'),
  language: OptionalText('Language'),
  trackCount: Type.Optional(Count('Number of tracks')),
  artistName: OptionalText('Name of the album artist'),
  favorite: Type.Optional(Flag('Whether the account has it among its favourites'))
})
export type Album = Static<typeof AlbumSchema>

export const AlbumDetailSchema = named('AlbumDetail', 'An album with its tracks', {
  ...AlbumSchema.properties,
  artist: Type.Optional(ref<Artist>('Artist')),
  tracks: Type.Array(ref<Track>('Track'), { description: 'Tracks of the album, in order' })
})
export type AlbumDetail = Static<typeof AlbumDetailSchema>

export const AlbumPageSchema = page<Album>('Album')
export type AlbumPage = Static<typeof AlbumPageSchema>

const id = Id('album')

export const albumOperations = {
  getAlbumDetail: {
    summary: 'An album with its tracks',
    parameters: parameters({ id, trackLimit: TrackLimit }),
    data: ref<AlbumDetail>('AlbumDetail')
  },
  favoriteAlbum: {
    summary: 'Make an album a favourite, or no longer',
    parameters: parameters({ id, status: DesiredStatus }),
    data: mutationStatus
  }
}
