import { Type } from '@sinclair/typebox'
import { AlbumPageSchema, type AlbumPage } from './album.ts'
import { ArtistSchema, type Artist } from './artist.ts'
import {
  named, ref, parameters, DesiredStatus, Id, Limit, Offset, OptionalText, TrackLimit, type Data, type Resource
} from './common.ts'
import { extras, type ArtistExtras } from './extras.ts'
import { MutationStatusSchema, type MutationStatus } from './mutation.ts'
import { TrackPageSchema, type TrackPage, TrackSchema, type Track } from './track.ts'

export const ArtistDetailSchema = named('ArtistDetail', 'An artist with tracks', {
  ...ArtistSchema.properties,
  avatarUrl: OptionalText('URL of a portrait'),
  description: OptionalText('About the artist'),
  tracks: Type.Array(ref<Track>(TrackSchema), { description: 'Tracks of the artist' })
})
export interface ArtistDetail extends Data<typeof ArtistDetailSchema>, Resource {
  [extras]?: ArtistExtras | undefined
}

const id = Id('artist')

export default {
  getTopArtists: {
    summary: 'List the top artists',
    description: 'Returns the artists that the source ranks highest, the first one first.',
    parameters: parameters({}),
    data: Type.Array(ref<Artist>(ArtistSchema))
  },
  getArtistDetail: {
    summary: 'Get an artist with tracks',
    description: 'Returns the artist and a selection of its tracks; getArtistTracks pages through all of them.',
    parameters: parameters({ id, trackLimit: TrackLimit }),
    data: ref<ArtistDetail>(ArtistDetailSchema)
  },
  getArtistTracks: {
    summary: 'List the tracks of an artist',
    description: 'Returns one page of the tracks of an artist in the given order.',
    parameters: parameters({
      id,
      order: Type.String({ default: 'hot', description: 'Order of the tracks, one that the source knows' }),
      offset: Offset,
      limit: Limit(50, 100)
    }),
    data: ref<TrackPage>(TrackPageSchema)
  },
  getArtistAlbums: {
    summary: 'List the albums of an artist',
    description: 'Returns one page of the albums of an artist.',
    parameters: parameters({ id, offset: Offset, limit: Limit(50, 100) }),
    data: ref<AlbumPage>(AlbumPageSchema)
  },
  favoriteArtist: {
    summary: 'Add an artist to the favourites or remove it',
    description: 'Sets whether the artist is one of the account\'s favourites, and returns the state after the call.',
    parameters: parameters({ id, status: DesiredStatus }),
    data: ref<MutationStatus>(MutationStatusSchema)
  }
}
