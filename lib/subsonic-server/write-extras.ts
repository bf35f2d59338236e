import type { AlbumExtras, TrackExtras } from '../../schemas/index.ts'
import { isoTime } from '../text/iso-time.ts'
import type { PlayCounts } from './account/account-state.ts'
import { textOfTime } from './times.ts'
import type { Json, JsonObject } from './write-xml.ts'

type Extras = TrackExtras | AlbumExtras

/**
 * Members of albums as extras have them, and what they are where these do not tell. Apps take a text or a list that is
 * left out for one that the server does not know.
 */
const ofAlbum = {
  moods: [],
  musicBrainzId: '',
  sortName: '',
  explicitStatus: '',
  version: '',
  releaseTypes: [],
  isCompilation: false,
  originalReleaseDate: {},
  discTitles: []
} satisfies Partial<Record<keyof AlbumExtras, Json>>

/** What lists need to know of items; apps would take it for tags that were read. */
const basic = new Set([
  'albumCount', 'artists', 'created', 'discNumber', 'duration', 'playCount', 'played', 'roles', 'starred', 'track'
])

/** Whether extras tell what tags hold, so that what they do not tell is none. */
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

/** A time of extras as apps get it; `undefined` where it is none. */
export function timeOf (text: string | undefined): string | undefined {
  const time = text === undefined ? NaN : isoTime(text)
  // Each item has its own, unlike years: none is kept.
  return Number.isNaN(time) ? undefined : textOfTime(time)
}

/**
 * What every app understands of both.
 *
 * @param counts what the source says of all that was played
 * @param rating of the account, of whose ratings it is the average where the source does not know more
 */
export function writePlays (
  extras: Extras = {}, counts: PlayCounts | undefined, ids: readonly string[], rating: number | undefined
): JsonObject {
  const { playCount, played, averageRating } = extras
  const told = counts?.all(ids) ?? []
  const plays = told.reduce((sum, { plays }) => sum + plays, 0)
  const last = Math.max(0, ...told.map(({ last }) => last))
  return {
    // A cached answer of a source is older than what is kept here.
    playCount: counts === undefined ? playCount : Math.max(playCount ?? 0, plays),
    played: (played && timeOf(played)) ?? (last > 0 ? textOfTime(last) : undefined),
    averageRating: averageRating ?? rating
  }
}

/** Members of OpenSubsonic that extras of an album fill. */
export function writeAlbumExtras (extras: AlbumExtras): JsonObject {
  const { recordLabels } = extras
  const all: Record<string, Json> = { ...ofAlbum, recordLabels: recordLabels ? named(recordLabels) : [] }
  for (const name in ofAlbum) all[name] = (extras as JsonObject)[name] ?? all[name]
  return all
}
