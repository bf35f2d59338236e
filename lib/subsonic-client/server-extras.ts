import type { AlbumExtras, ArtistExtras, PlaylistExtras, TrackExtras } from '../../schemas/index.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { flagOf, listOf, numberOf, objectOf, textOf, type Given } from './tolerate.ts'

const text = (value: unknown): string | undefined => textOf(value) || undefined
/** Returns a whole number above 0: servers send 0 for unknown values. */
const whole = (value: unknown): number | undefined => Math.round(numberOf(value) ?? 0) || undefined
const orNone = <T>(list: T[]): T[] | undefined => list.length > 0 ? list : undefined

/** Returns strings from a list of strings or of objects with names. */
const texts = (value: unknown): string[] | undefined =>
  orNone([value].flat().map(item => textOf(objectOf(item).name) || textOf(item)).filter(Boolean))

const named = (value: unknown): Given[] => listOf(value).filter(({ name }) => text(name) !== undefined)

/** Removes undefined properties; returns `undefined` if none is left. */
function known<T extends object> (members: T): T | undefined {
  const given = withoutUndefined(members)
  return Object.keys(given).length > 0 ? given as T : undefined
}

const artists = (value: unknown) =>
  orNone(named(value).filter(({ id }) => text(id) !== undefined).map(({ id, name }) =>
    ({ id: textOf(id), name: textOf(name) })))

/** Returns decibels and peaks, the only numbers that may be negative. */
function replayGainOf (value: unknown): TrackExtras['replayGain'] {
  const given = Object.entries(objectOf(value))
  const numbers = given.filter(([name, number]) => gains.has(name) && Number.isFinite(number))
  return known(Object.fromEntries(numbers.filter(([name, number]) => !name.endsWith('Peak') || Number(number) >= 0)))
}
const gains = new Set(['trackGain', 'albumGain', 'trackPeak', 'albumPeak', 'baseGain', 'fallbackGain'])

const dateOf = (value: unknown) => {
  const { year, month, day } = objectOf(value)
  return known({ year: whole(year), month: whole(month), day: whole(day) })
}

function commonOf (given: Given) {
  const explicit = textOf(given.explicitStatus)
  return {
    year: whole(given.year),
    genres: texts(given.genres) ?? texts(given.genre),
    moods: texts(given.moods),
    musicBrainzId: text(given.musicBrainzId),
    sortName: text(given.sortName),
    explicitStatus: explicit === 'explicit' || explicit === 'clean' ? explicit : undefined,
    displayArtist: text(given.displayArtist),
    created: text(given.created),
    played: text(given.played),
    playCount: numberOf(given.playCount) === undefined ? undefined : whole(given.playCount) ?? 0,
    averageRating: numberOf(given.averageRating)
  } as const
}

/** Returns additional metadata of a song, also from the properties of old servers. */
export const trackExtrasOf = (song: Given): TrackExtras | undefined => known({
  ...commonOf(song),
  discNumber: whole(song.discNumber),
  track: whole(song.track),
  isrc: texts(song.isrc),
  bpm: whole(song.bpm),
  comment: text(song.comment),
  samplingRate: whole(song.samplingRate),
  bitDepth: whole(song.bitDepth),
  channelCount: whole(song.channelCount),
  replayGain: replayGainOf(song.replayGain),
  albumArtists: artists(song.albumArtists),
  displayAlbumArtist: text(song.displayAlbumArtist),
  contributors: orNone(listOf(song.contributors).flatMap(({ role, subRole, artist }) => named(artist)
    .map(({ id, name }) => withoutUndefined({
      role: textOf(role), subRole: text(subRole), artist: withoutUndefined({ id: text(id), name: textOf(name) })
    })))),
  displayComposer: text(song.displayComposer),
  works: orNone(named(song.works).map(({ name, musicBrainzId }) =>
    withoutUndefined({ name: textOf(name), musicBrainzId: text(musicBrainzId) }))),
  movements: orNone(named(song.movements).map(({ name, number, count }) =>
    withoutUndefined({ name: textOf(name), number: whole(number), count: whole(count) }))),
  groupings: texts(song.groupings)
} as TrackExtras)

/** Returns additional metadata of an album. */
export const albumExtrasOf = (album: Given): AlbumExtras | undefined => known({
  ...commonOf(album),
  artists: artists(album.artists) ?? artists({ id: album.artistId, name: album.artist }),
  version: text(album.version),
  releaseTypes: texts(album.releaseTypes),
  isCompilation: album.isCompilation === undefined ? undefined : flagOf(album.isCompilation),
  recordLabels: texts(album.recordLabels),
  originalReleaseDate: dateOf(album.originalReleaseDate),
  releaseDate: dateOf(album.releaseDate),
  discTitles: orNone(listOf(album.discTitles).map(({ disc, title }) =>
    ({ disc: whole(disc) ?? 0, title: textOf(title) }))),
  duration: whole(album.duration)
} as AlbumExtras)

/** Returns additional metadata of an artist. */
export const artistExtrasOf = (artist: Given): ArtistExtras | undefined => known({
  musicBrainzId: text(artist.musicBrainzId),
  sortName: text(artist.sortName),
  disambiguation: text(artist.disambiguation),
  roles: texts(artist.roles),
  albumCount: numberOf(artist.albumCount),
  averageRating: numberOf(artist.averageRating)
})

/** Returns additional metadata of a playlist. */
export const playlistExtrasOf = ({ validUntil, public: isPublic }: Given): PlaylistExtras | undefined =>
  known({ validUntil: text(validUntil), public: isPublic === undefined ? undefined : flagOf(isPublic) })
