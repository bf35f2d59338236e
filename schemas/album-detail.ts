import { Type } from '@sinclair/typebox'
import { AlbumSchema } from './album.ts'
import { ArtistSchema, type Artist } from './artist.ts'
import { named, ref, parameters, DesiredStatus, Id, TrackLimit, type Data, type Resource } from './common.ts'
import { extras, type AlbumExtras } from './extras.ts'
import { MutationStatusSchema, type MutationStatus } from './mutation.ts'
import { TrackSchema, type Track } from './track.ts'

export const AlbumDetailSchema = named('AlbumDetail', 'An album with its tracks', {
  ...AlbumSchema.properties,
  artist: Type.Optional(ref<Artist>(ArtistSchema)),
  tracks: Type.Array(ref<Track>(TrackSchema), { description: 'Tracks of the album, in order' })
})
export interface AlbumDetail extends Data<typeof AlbumDetailSchema>, Resource { [extras]?: AlbumExtras | undefined }

const id = Id('album')

export default {
  getAlbumDetail: {
    summary: 'Get an album with its tracks',
    description: 'Returns the album, its artist if the source knows it, and its tracks in order.',
    parameters: parameters({ id, trackLimit: TrackLimit }),
    data: ref<AlbumDetail>(AlbumDetailSchema)
  },
  favoriteAlbum: {
    summary: 'Add an album to the favourites or remove it',
    description: 'Sets whether the album is one of the account\'s favourites, and returns the state after the call.',
    parameters: parameters({ id, status: DesiredStatus }),
    data: ref<MutationStatus>(MutationStatusSchema)
  }
}
