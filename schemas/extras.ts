import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'
import { named, Text, type Data, type Resource } from './common.ts'

/**
 * The property of tracks, albums, artists and playlists for data outside the contract: `[extras]: { discNumber: 2 }`.
 * `/v1` never sends it, and `/rest` sends it to Subsonic apps. The symbol is the same in each copy of the package.
 */
export const extras: unique symbol = Symbol.for('fastify-source-origin.extras')

const { Optional, Array: List, String, Number, Boolean, Integer } = Type
/** `undefined` in an optional property counts as omitted here too. */
const closed = <P extends TProperties>(properties: P, description: string) =>
  Type.Unsafe<Data<TObject<P>>>(Type.Object(properties, { description, additionalProperties: false }))
const text = (description: string) => Optional(Text(description))
const texts = (description: string) => Optional(List(String(), { description }))
const whole = (description: string, minimum = 0) => Optional(Integer({ minimum, description }))
const decibels = (description: string) => Optional(Number({ description: `${description}, dB` }))
const peak = (description: string) =>
  Optional(Number({ minimum: 0, description: `${description}; 1 = full scale` }))
const date = (description: string) => Optional(closed({
  year: whole('Year', 1), month: whole('Month from 1', 1), day: whole('Day from 1', 1)
}, description))
const artists = (description: string) =>
  Optional(List(closed({ id: Text('Id of the artist'), name: Text('Its name') }, description), { description }))

const starred = text('Since when the account has it among its favourites: ISO 8601, UTC')

/** The common extras of tracks and albums. */
const played = {
  created: text('When the source got it: ISO 8601, UTC'),
  starred,
  played: text('When the account played it last: ISO 8601, UTC'),
  playCount: whole('How often the account has played it'),
  averageRating: Optional(Number({ minimum: 0, description: 'Average rating of all users, 1 to 5' }))
}
const released = {
  year: whole('Year of the release', 1),
  genres: texts('All genres, the main one first'),
  moods: texts('Moods'),
  musicBrainzId: text('MusicBrainz id of the recording of a track, of the release of an album'),
  sortName: text('Name that it is sorted by'),
  explicitStatus: Optional(Type.Union([Type.Literal('explicit'), Type.Literal('clean'), Type.Literal('')], {
    description: 'Explicit words, or a version without them; empty = neither is known'
  })),
  displayArtist: text('Its artists in one text, as on the cover')
}

export const TrackExtrasSchema = named('TrackExtras', 'Additional properties of a track', {
  discNumber: whole('Number of its disc from 1', 1),
  track: whole('Its number on the disc'),
  ...released,
  isrc: texts('ISRCs'),
  bpm: whole('Beats per minute'),
  comment: text('Comment'),
  samplingRate: whole('Samples of the file per second, Hz'),
  bitDepth: whole('Bits of a sample'),
  channelCount: whole('Channels'),
  replayGain: Optional(closed({
    trackGain: decibels('Gain of the track'),
    albumGain: decibels('Gain of the album'),
    trackPeak: peak('Peak of the track'),
    albumPeak: peak('Peak of the album'),
    baseGain: decibels('Gain of the header of an Opus file'),
    fallbackGain: decibels('Gain for files without one')
  }, 'ReplayGain 2.0, for -18 LUFS')),
  albumArtists: artists('Artists of the album'),
  displayAlbumArtist: text('The artists of the album in one text'),
  contributors: Optional(List(closed({
    role: Text('For example composer'),
    subRole: text('For example the instrument'),
    artist: closed({ id: text('Id of the artist, where it has a page'), name: Text('Its name') }, 'Who it was')
  }, 'A part in the recording'), { description: 'Who else had a part in it, by role' })),
  displayComposer: text('Its composers in one text'),
  works: Optional(List(closed({ name: Text('Its name'), musicBrainzId: text('Its MusicBrainz id') }, 'A work'), {
    description: 'Works that it is a recording of'
  })),
  movements: Optional(List(closed({
    name: Text('Its name'), number: whole('Its number'), count: whole('Number of movements')
  }, 'A movement'), { description: 'Movements of these works' })),
  groupings: texts('Groupings'),
  ...played
})
export interface TrackExtras extends Data<typeof TrackExtrasSchema>, Resource {}

export const AlbumExtrasSchema = named('AlbumExtras', 'Additional properties of an album', {
  ...released,
  artists: artists('Artists of the album'),
  version: text('For example Remastered'),
  releaseTypes: texts('For example Album, EP, Live'),
  isCompilation: Optional(Boolean({ description: 'Whether it is a compilation' })),
  recordLabels: texts('Record labels'),
  originalReleaseDate: date('When it came out first'),
  releaseDate: date('When this release came out'),
  discTitles: Optional(List(closed({
    disc: Integer({ minimum: 0, description: 'Number of the disc' }), title: Text('Its title')
  }, 'A disc'), { description: 'Titles of its discs' })),
  duration: whole('How long its tracks take together, seconds'),
  ...played
})
export interface AlbumExtras extends Data<typeof AlbumExtrasSchema>, Resource {}

export const ArtistExtrasSchema = named('ArtistExtras', 'Additional properties of an artist', {
  musicBrainzId: text('MusicBrainz id'),
  sortName: text('Name that it is sorted by'),
  disambiguation: text('What tells it from others of the same name'),
  roles: texts('All roles that it has, for example albumartist'),
  albumCount: whole('How many albums it is the first artist of'),
  starred,
  averageRating: played.averageRating
})
export interface ArtistExtras extends Data<typeof ArtistExtrasSchema>, Resource {}

export const PlaylistExtrasSchema = named('PlaylistExtras', 'Additional properties of a playlist', {
  validUntil: text('Until when its tracks stay the same: ISO 8601, UTC'),
  public: Optional(Boolean({ description: 'Whether all accounts have it' })),
  readOnly: Optional(Boolean({ description: '`false`: this account may change it, though another one has made it' }))
})
export interface PlaylistExtras extends Data<typeof PlaylistExtrasSchema>, Resource {}

/** The schemas of an item's extras, by the name of the item's schema. */
export const extrasSchemas: Readonly<Record<string, TSchema>> = {
  Track: TrackExtrasSchema,
  Album: AlbumExtrasSchema,
  AlbumDetail: AlbumExtrasSchema,
  Artist: ArtistExtrasSchema,
  ArtistDetail: ArtistExtrasSchema,
  Playlist: PlaylistExtrasSchema,
  PlaylistDetail: PlaylistExtrasSchema
}
