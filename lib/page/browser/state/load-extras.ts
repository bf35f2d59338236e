import type { TrackExtras } from '../../../../schemas/extras.ts'
import type { ShownExtras } from '../../own-answers.ts'
import { isOwn, type OwnInput } from './own.ts'
import { askOwn, source, type SavedSource } from './sources.ts'

/** Tracks that one request is for. */
const mostTracks = 50
/** Characters of ids that fit into an address. */
const longestAddress = 6000
/** Answers in a row without any extras, after which a source is asked no more. */
const mostEmpty = 3

const none: ShownExtras = { tracks: {} }

/** Those that are known of tracks of a source; `undefined` for a track without any. */
let known = new Map<string, TrackExtras | undefined>()
let knownOf: SavedSource | undefined
let empty = 0

/** Extras by the route of the page, which belongs to the source beside it; none for others. */
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

/** What the source tells of an album and its tracks besides the contract; nothing where it cannot be had. */
export const loadAlbumExtras = (id: string, signal?: AbortSignal): Promise<ShownExtras> =>
  load({ album: id }, signal).catch(() => none)

/** Those ids that fit into one request, from the first on. */
function part (ids: readonly string[]): readonly string[] {
  let length = 0
  const end = ids.findIndex((id, index) => {
    length += encodeURIComponent(id).length + 7
    return index > 0 && (index === mostTracks || length > longestAddress)
  })
  return end < 0 ? ids : ids.slice(0, end)
}

/**
 * What the source tells of tracks besides the contract, by their ids. Each is asked for once.
 *
 * @throws what the request throws
 */
export async function loadTrackExtras (
  ids: readonly string[], signal?: AbortSignal
): Promise<ReadonlyMap<string, TrackExtras>> {
  let wanted: readonly string[] = knownOf === source.value ? ids.filter(id => !known.has(id)) : ids
  while (wanted.length > 0) {
    const asked = part(wanted)
    const loading = load({ track: asked }, signal)
    // Another source may be the current one when the answer comes.
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

/** Composers of a track; empty where none are known. */
export const composerOf = ({ displayComposer, contributors = [] }: TrackExtras = {}): string =>
  displayComposer || contributors.filter(({ role }) => role === 'composer').map(({ artist }) => artist.name).join(', ')
