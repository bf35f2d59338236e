import type { AlbumExtras, TrackExtras } from '../../schemas/index.ts'
import { isoTime } from '../text/iso-time.ts'
import type { PlayCounts } from './account/account-state.ts'
import { writeTime } from './times.ts'
import type { Json, JsonObject } from './write-xml.ts'

type Extras = TrackExtras | AlbumExtras

/**
 * Members as extras have them, and what they are where these do not tell. Apps take a text or a list that is left out
 * for one that the server does not know.
 */
const common = { moods: [], musicBrainzId: '', sortName: '', explicitStatus: '' }
const ofTrack = {
  ...common,
  bpm: undefined,
  comment: '',
  isrc: [],
  samplingRate: undefined,
  bitDepth: undefined,
  channelCount: undefined,
  replayGain: {},
  displayComposer: '',
  works: undefined,
  movements: undefined,
  groupings: undefined
} satisfies Partial<Record<keyof TrackExtras, Json>>
const ofAlbum = {
  ...common, version: '', releaseTypes: [], isCompilation: false, originalReleaseDate: {}, discTitles: []
} satisfies Partial<Record<keyof AlbumExtras, Json>>

function filled (members: JsonObject, extras: Extras): JsonObject {
  const all: Record<string, JsonObject[string]> = {}
  for (const name of Object.keys(members)) all[name] = (extras as JsonObject)[name] ?? members[name]
  return all
}

const named = (names: readonly string[]) => names.map(name => ({ name }))

/** A time of extras as apps get it; `undefined` where it is none. */
export function timeOf (text = ''): string | undefined {
  const time = isoTime(text)
  return Number.isNaN(time) ? undefined : writeTime(time).text
}

/**
 * What every app understands of both.
 *
 * @param counts what the source says of all that was played
 * @param rating of the account, of whose ratings it is the average where the source does not know more
 */
export function writePlays (
  extras: Extras = {}, counts: PlayCounts | undefined, id: string, rating: number | undefined
): JsonObject {
  const { playCount, played, averageRating } = extras
  const { plays, last } = counts?.get(id) ?? { plays: counts && 0 }
  return {
    playCount: playCount ?? plays,
    played: timeOf(played) ?? (last && writeTime(last).text),
    averageRating: averageRating ?? rating
  }
}

const genresOf = ({ genres }: Extras) => genres && { genres: named(genres) }

/**
 * Members of OpenSubsonic that extras of a song fill.
 *
 * @param refer writes who has a part in it; `undefined` for one without a page
 */
export const writeTrackExtras = (
  extras: TrackExtras, refer: (artist: { id?: string | undefined, name: string }) => JsonObject | undefined
): JsonObject => ({
  ...filled(ofTrack, extras),
  ...genresOf(extras),
  contributors: (extras.contributors ?? []).flatMap(({ role, subRole, artist }): JsonObject[] => {
    const known = refer(artist)
    return known === undefined ? [] : [{ role, subRole, artist: known }]
  })
})

/** The same of an album. */
export const writeAlbumExtras = (extras: AlbumExtras): JsonObject =>
  ({ ...filled(ofAlbum, extras), ...genresOf(extras), recordLabels: named(extras.recordLabels ?? []) })
