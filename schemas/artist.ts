import { Type, type Static } from '@sinclair/typebox'
import {
  named, ref, page, parameters, mutationStatus, DesiredStatus, Flag, Id, Limit, Offset, OptionalText, Text, TrackLimit
} from './common.ts'
import type { AlbumPage } from './album.ts'
import type { Track, TrackPage } from './track.ts'

export const ArtistSchema = named('Artist', 'A person or group', {
  id: Text('Id of the artist'),
  name: Text('Name of the artist'),
  coverUrl: OptionalText('URL of a picture'),
  favorite: Type.Optional(Flag('Whether the account has it among its favourites'))
})
export type Artist = Static<typeof ArtistSchema>

export const ArtistDetailSchema = named('ArtistDetail', 'An artist with tracks', {
  ...ArtistSchema.properties,
  avatarUrl: OptionalText('URL of a portrait'),
  description: OptionalText('About the artist'),
  tracks: Type.Array(ref<Track>('Track'), { description: 'Tracks of the artist' })
})
export type ArtistDetail = Static<typeof ArtistDetailSchema>

export const ArtistPageSchema = page<Artist>('Artist')
export type ArtistPage = Static<typeof ArtistPageSchema>

const id = Id('artist')

export const artistOperations = {
  getTopArtists: {
    summary: 'Top artists',
    parameters: parameters({}),
    data: Type.Array(ref<Artist>('Artist'))
  },
  getArtistDetail: {
    summary: 'An artist with tracks',
    parameters: parameters({ id, trackLimit: TrackLimit }),
    data: ref<ArtistDetail>('ArtistDetail')
  },
  getArtistTracks: {
    summary: 'Tracks of an artist',
    parameters: parameters({
      id,
      order: Type.String({ default: 'hot', description: 'Order of the tracks, one that the source knows' }),
      offset: Offset,
      limit: Limit(50, 100)
    }),
    data: ref<TrackPage>('TrackPage')
  },
  getArtistAlbums: {
    summary: 'Albums of an artist',
    parameters: parameters({ id, offset: Offset, limit: Limit(50, 100) }),
    data: ref<AlbumPage>('AlbumPage')
  },
  favoriteArtist: {
    summary: 'Make an artist a favourite, or no longer',
    parameters: parameters({ id, status: DesiredStatus }),
    data: mutationStatus
  }
}
