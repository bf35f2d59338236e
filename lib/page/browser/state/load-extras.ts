import type { TrackExtras } from '../../../../schemas/extras.ts'
import type { ShownExtras } from '../../page-responses.ts'
import { isOwn, type OwnInput } from './own.ts'
import { source, type SavedSource } from './saved-sources.ts'
import { askOwn } from './session.ts'

/** The maximum number of tracks per request. */
const mostTracks = 50
/** The maximum length of ids in a URL in characters. */
const longestAddress = 6000
/** The number of consecutive responses without extras, after which requests to a source stop. */
const mostEmpty = 3

const none: ShownExtras = { tracks: {} }

/** The cached extras of a source's tracks; `undefined` for a track without extras. */
let known = new Map<string, TrackExtras | undefined>()
let knownOf: SavedSource | undefined
let empty = 0

/** Loads extras by a route of the page, which only the source beside it has; other sources have none. */
async function load (input: OwnInput<'GET extras'>, signal?: AbortSignal): Promise<ShownExtras> {
  const asked = source.value
  if (knownOf !== asked) {
    knownOf = asked
    known = new Map()
    empty = 0
  }
  if (!isOwn(asked) || empty >= mostEmpty) return none
  const shown = await askOwn('GET extras', input, signal)
  if (asked !== source.value) return none
  const tracks = Object.entries(shown.tracks)
  empty = shown.album === undefined && tracks.length === 0 ? empty + 1 : 0
  for (const [id, extras] of tracks) known.set(id, extras)
  return shown
}

/** Returns the additional metadata of an album and its tracks; nothing if it cannot be loaded. */
export const loadAlbumExtras = (id: string, signal?: AbortSignal): Promise<ShownExtras> =>
  load({ album: id }, signal).catch(() => none)

/** Returns the first ids, as many as fit into one request. */
function part (ids: readonly string[]): readonly string[] {
  let length = 0
  const end = ids.findIndex((id, index) => {
    length += encodeURIComponent(id).length + 7
    return index > 0 && (index === mostTracks || length > longestAddress)
  })
  return end < 0 ? ids : ids.slice(0, end)
}

/**
 * Returns the additional metadata of tracks by id. Each track is requested once.
 *
 * @throws errors of the request
 */
export async function loadTrackExtras (
  ids: readonly string[], signal?: AbortSignal
): Promise<ReadonlyMap<string, TrackExtras>> {
  let wanted: readonly string[] = knownOf === source.value ? ids.filter(id => !known.has(id)) : ids
  while (wanted.length > 0) {
    const asked = part(wanted)
    const loading = load({ track: asked }, signal)
    // Another source may be current when the response arrives.
    const ofSource = known
    await loading
    for (const id of asked) if (!ofSource.has(id)) ofSource.set(id, undefined)
    wanted = wanted.slice(asked.length)
  }
  return new Map(ids.flatMap(id => {
    const extras = known.get(id)
    return extras === undefined ? [] : [[id, extras] as const]
  }))
}

/** Returns the composers of a track; empty if unknown. */
export const composerOf = ({ displayComposer, contributors = [] }: TrackExtras = {}): string =>
  displayComposer || contributors.filter(({ role }) => role === 'composer').map(({ artist }) => artist.name).join(', ')
