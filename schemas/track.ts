import { Type } from '@sinclair/typebox'
import { AlbumSchema, type Album } from './album.ts'
import { ArtistSchema, type Artist } from './artist.ts'
import {
  named, ref, page, parameters, Amount, Bitrate, DesiredStatus, Flag, Id, OptionalText, RequiredText, Text,
  type Data, type Resource
} from './common.ts'
import { extras, type TrackExtras } from './extras.ts'
import { MutationStatusSchema, type MutationStatus } from './mutation.ts'

export const TrackQualitySchema = named('TrackQuality', 'A quality that a track really has', {
  key: Text('Identifier, one of the qualityMap'),
  label: Text('Name for people'),
  size: Amount('Size of the file in bytes; 0 if unknown or endless'),
  bitrate: Bitrate(),
  format: OptionalText('Format, for example flac'),
  description: OptionalText('More about the quality')
})
export interface TrackQuality extends Data<typeof TrackQualitySchema>, Resource {}

export const TrackSchema = named('Track', 'A recording', {
  id: Text('Id of the track'),
  title: Text('Title of the track'),
  artists: Type.Array(ref<Artist>(ArtistSchema), { description: 'Artists, the main one first' }),
  album: ref<Album>(AlbumSchema),
  durationMs: Amount('Duration in milliseconds; 0 if unknown or endless'),
  aliases: Type.Optional(Type.Array(Type.String(), { description: 'Other titles' })),
  mvId: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Id of the music video; null = none' })),
  favorite: Type.Optional(Flag('Whether the account has it among its favourites')),
  fee: Type.Optional(Flag('Whether playing it needs a subscription or a purchase')),
  qualities: Type.Optional(
    Type.Array(ref<TrackQuality>(TrackQualitySchema), {
      default: [], description: 'Qualities that this track really has'
    })
  )
})
export interface Track extends Data<typeof TrackSchema>, Resource { [extras]?: TrackExtras | undefined }

export const TrackPageSchema = page<Track>(TrackSchema)
export interface TrackPage extends Data<typeof TrackPageSchema>, Resource {}

export const TrackUrlSchema = named('TrackUrl', 'Where a player gets the audio', {
  url: RequiredText('URL that a player opens without any header'),
  quality: Text('Identifier of the quality actually given, after any fallback'),
  format: OptionalText('Format, for example flac', { default: '' }),
  bitrate: Bitrate({ default: null }),
  size: Type.Optional(Type.Number({
    minimum: 0, default: 0, description: 'Size of the file in bytes; 0 if unknown or endless'
  }))
})
export interface TrackUrl extends Data<typeof TrackUrlSchema>, Resource {}

export const TrackLyricsSchema = named('TrackLyrics', 'The words of a track', {
  lyrics: Text('Lyrics, with LRC time tags where the source has them'),
  wordLyrics: OptionalText('Lyrics with a time for every word', { default: '' }),
  translatedLyrics: OptionalText('Translated lyrics', { default: '' })
})
export interface TrackLyrics extends Data<typeof TrackLyricsSchema>, Resource {}

const id = Id('track')
const tracks = Type.Array(ref<Track>(TrackSchema))

export default {
  getTrackDetail: {
    summary: 'Get a track',
    description: 'Returns one track.',
    parameters: parameters({ id }),
    data: ref<Track>(TrackSchema)
  },
  getSimilarTracks: {
    summary: 'List similar tracks',
    description: 'Returns tracks that are like the given one.',
    parameters: parameters({ id }),
    data: tracks
  },
  getTrackUrl: {
    summary: 'Get the URL of a track\'s audio',
    description: 'Returns a URL that a player can open without any header, and the quality that it really has. ' +
      'Where the quality asked for is not available, the source may answer another one.',
    parameters: parameters({
      id,
      quality: OptionalText('Key of the quality wanted, one of the qualityMap; blank = the source chooses')
    }),
    data: ref<TrackUrl>(TrackUrlSchema)
  },
  getTrackLyrics: {
    summary: 'Get the lyrics of a track',
    description: 'Returns the lyrics, with word times and a translation where the source has them. ' +
      'A track without lyrics has empty ones.',
    parameters: parameters({ id }),
    data: ref<TrackLyrics>(TrackLyricsSchema)
  },
  getNewTracks: {
    summary: 'List new tracks',
    description: 'Returns tracks that are new in the source, the newest first.',
    parameters: parameters({}),
    data: tracks
  },
  getDailyTracks: {
    summary: 'List the tracks of the day',
    description: 'Returns a selection of tracks that stays the same for a day.',
    parameters: parameters({}),
    data: tracks
  },
  getRoamTracks: {
    summary: 'List tracks for endless playback',
    description: 'Returns the next tracks of a radio without end: each call gives other ones.',
    parameters: parameters({}),
    data: tracks
  },
  favoriteTrack: {
    summary: 'Add a track to the favourites or remove it',
    description: 'Sets whether the track is one of the account\'s favourites, and returns the state after the call.',
    parameters: parameters({ id, status: DesiredStatus }),
    data: ref<MutationStatus>(MutationStatusSchema)
  }
}
