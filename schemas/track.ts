import { Type, type Static } from '@sinclair/typebox'
import {
  named, ref, page, parameters, mutationStatus, Amount, Bitrate, DesiredStatus, Flag, Id, OptionalText, Text
} from './common.ts'
import type { Album } from './album.ts'
import type { Artist } from './artist.ts'

export const TrackQualitySchema = named('TrackQuality', 'A quality that a track really has', {
  key: Text('Identifier, one of the qualityMap'),
  label: Text('Name for people'),
  size: Amount('Size of the file in bytes'),
  bitrate: Bitrate(),
  format: OptionalText('Format, for example flac'),
  description: OptionalText('More about the quality')
})
export type TrackQuality = Static<typeof TrackQualitySchema>

export const TrackSchema = named('Track', 'A recording', {
  id: Text('Id of the track'),
  title: Text('Title of the track'),
  artists: Type.Array(ref<Artist>('Artist'), { description: 'Artists, the main one first' }),
  album: ref<Album>('Album'),
  durationMs: Amount('Duration in milliseconds'),
  aliases: Type.Optional(Type.Array(Type.String(), { description: 'Other titles' })),
  mvId: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Id of the music video; null = none' })),
  favorite: Type.Optional(Flag('Whether the account has it among its favourites')),
  fee: Type.Optional(Flag('Whether playing it needs a subscription or a purchase')),
  qualities: Type.Optional(Type.Array(ref<TrackQuality>('TrackQuality'), { default: [], description: 'Qualities that this track really has' }))
})
export type Track = Static<typeof TrackSchema>

export const TrackPageSchema = page<Track>('Track')
export type TrackPage = Static<typeof TrackPageSchema>

export const TrackUrlSchema = named('TrackUrl', 'Where a player gets the audio', {
  url: Text('URL that a player opens without any header'),
  quality: Text('Identifier of the quality actually given, after any fallback'),
  format: OptionalText('Format, for example flac', { default: '' }),
  bitrate: Bitrate({ default: null }),
  size: Type.Optional(Type.Number({ minimum: 0, default: 0, description: 'Size of the file in bytes' }))
})
export type TrackUrl = Static<typeof TrackUrlSchema>

export const TrackLyricsSchema = named('TrackLyrics', 'The words of a track', {
  lyrics: Text('Lyrics, with LRC time tags where the source has them'),
  wordLyrics: OptionalText('Lyrics with a time for every word', { default: '' }),
  translatedLyrics: OptionalText('Translated lyrics', { default: '' })
})
export type TrackLyrics = Static<typeof TrackLyricsSchema>

const id = Id('track')
const tracks = Type.Array(ref<Track>('Track'))

export const trackOperations = {
  getTrackDetail: { summary: 'A track', parameters: parameters({ id }), data: ref<Track>('Track') },
  getSimilarTracks: { summary: 'Tracks like this one', parameters: parameters({ id }), data: tracks },
  getTrackUrl: {
    summary: 'Where a player gets the audio of a track',
    parameters: parameters({
      id,
      quality: OptionalText('Identifier of the quality wanted, one of the qualityMap; blank = the source chooses')
    }),
    data: ref<TrackUrl>('TrackUrl')
  },
  getTrackLyrics: { summary: 'Lyrics of a track', parameters: parameters({ id }), data: ref<TrackLyrics>('TrackLyrics') },
  getNewTracks: { summary: 'New tracks', parameters: parameters({}), data: tracks },
  getDailyTracks: { summary: 'Tracks of the day', parameters: parameters({}), data: tracks },
  getRoamTracks: { summary: 'Tracks to go on with, without an end', parameters: parameters({}), data: tracks },
  favoriteTrack: {
    summary: 'Make a track a favourite, or no longer',
    parameters: parameters({ id, status: DesiredStatus }),
    data: mutationStatus
  }
}
