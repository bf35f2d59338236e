import type { AlbumExtras, TrackExtras } from '../../schemas/index.ts'
import { isoTime } from '../text/iso-time.ts'
import type { PlayCounts } from './account/account-state.ts'
import { textOfTime } from './times.ts'
import type { Json, JsonObject } from './write-xml.ts'

type Extras = TrackExtras | AlbumExtras

/**
 * Properties of albums from extras, with their defaults. Apps treat a missing string or list as unknown to the server.
 */
const ofAlbum = {
  moods: [],
  musicBrainzId: '',
  sortName: '',
  explicitStatus: '',
  version: '',
  releaseTypes: [],
  isCompilation: false,
  originalReleaseDate: {}
} satisfies Partial<Record<keyof AlbumExtras, Json>>

/** Properties that lists require. They do not show that tags were read. */
const basic = new Set([
  'albumCount', 'artists', 'created', 'discNumber', 'duration', 'playCount', 'played', 'roles', 'starred', 'track'
])

/** Returns whether extras contain tag data, so that missing tags are known to be absent. */
export const haveTags = (extras: Extras | undefined): extras is Extras => {
  if (extras === undefined) return false
  let isEmpty = true
  for (const name in extras) {
    if (!basic.has(name)) return true
    isEmpty = false
  }
  return isEmpty
}

export function named (names: readonly string[]): JsonObject[] {
  const all: JsonObject[] = []
  for (const name of names) all.push({ name })
  return all
}

/** Returns a time from extras for apps; `undefined` if it is invalid. */
export function timeOf (text: string | undefined): string | undefined {
  const time = text === undefined ? NaN : isoTime(text)
  // Not cached, since these times rarely repeat.
  return Number.isNaN(time) ? undefined : textOfTime(time)
}

/**
 * Returns play properties that every app understands.
 *
 * @param counts the source's play counts
 * @param rating the account's rating, also used as the average if the source has none
 */
export function writePlays (
  extras: Extras = {}, counts: PlayCounts | undefined, ids: readonly string[], rating: number | undefined
): JsonObject {
  const { playCount, played, averageRating } = extras
  const told = counts?.all(ids) ?? []
  const plays = told.reduce((sum, { plays }) => sum + plays, 0)
  const last = Math.max(0, ...told.map(({ last }) => last))
  return {
    // A cached response of a source may be older than the counts here.
    playCount: counts === undefined ? playCount : Math.max(playCount ?? 0, plays),
    played: (played && timeOf(played)) ?? (last > 0 ? textOfTime(last) : undefined),
    averageRating: averageRating ?? rating
  }
}

/** Returns OpenSubsonic properties from the extras of an album, with its cover for each disc. */
export function writeAlbumExtras (extras: AlbumExtras, coverArt: string): JsonObject {
  const { recordLabels, discTitles = [] } = extras
  const all: Record<string, Json> = { ...ofAlbum, recordLabels: recordLabels ? named(recordLabels) : [] }
  for (const name in ofAlbum) all[name] = (extras as JsonObject)[name] ?? all[name]
  all.discTitles = discTitles.map(disc => ({ ...disc, coverArt }))
  return all
}
