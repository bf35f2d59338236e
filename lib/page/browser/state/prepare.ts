import type { Track, TrackQuality, TrackUrl } from '../../../client/index.ts'
import { text } from '../texts/index.ts'
import { give, onSpare, spare } from './audio.ts'
import { isSparing } from './mobile-data.ts'
import { wanted } from './player-state.ts'
import { current, entries, extend, following, index, repeat, type Entry } from './queue.ts'
import { ask, status } from './session.ts'

/** Seconds before the end at which the next track is loaded. */
export const prepareBefore = 20

/** The track loaded by the spare element. */
let prepared: { key: string, given: TrackUrl } | undefined
/**
 * The key of the entry that is or was prepared. A source that rejects it is not called again before the entry becomes
 * current.
 */
let preparing: string | undefined
/**
 * The key of the entry at whose end more tracks were last requested, so that a failing source is not called
 * continuously.
 */
let extendedAt: string | undefined

type Failed = ReadonlySet<string | undefined>

/**
 * Requests the URL of a track in the chosen quality, or else in one that the browser plays.
 *
 * @param failed keys of qualities that could not be played
 */
export async function urlOf (track: Track, signal: AbortSignal, failed?: Failed): Promise<TrackUrl> {
  const answer = await ask(client => client.getTrackUrl(track.id, qualityOf(track, failed)), signal)
  if (!/^https?:\/\//i.test(answer.url)) throw new Error(text('errorAnswer'))
  return answer
}

function qualityOf ({ qualities = [] }: Track, failed: Failed = new Set()): string | undefined {
  const isWanted = ({ key }: { key: string }) => key === wanted.value
  // The chosen quality may belong to another source.
  const isKnown = wanted.value !== '' && (qualities.some(isWanted) || status.value?.qualityMap.some(isWanted))
  const isUseful = isKnown && !failed.has(wanted.value) && qualities.filter(isWanted).every(isPlayable)
  if (isUseful) return wanted.value
  if (failed.size === 0 && isSparing()) return smallestOf(qualities)
  return (failed.size === 0 && qualities.every(isPlayable)) ? undefined : otherQuality(qualities, failed)
}

/** Returns the smallest quality that the browser plays. */
const smallestOf = (qualities: readonly TrackQuality[]): string | undefined =>
  qualities.filter(quality => quality.bitrate && isPlayable(quality)).sort((a, b) => a.bitrate! - b.bitrate!)[0]?.key

/** Returns the first quality that the browser plays and that has not failed. */
export const otherQuality = (qualities: readonly TrackQuality[], failed: Failed): string | undefined =>
  qualities.find(quality => !failed.has(quality.key) && isPlayable(quality))?.key

/** Formats that some browsers do not play. */
const formats = /^(?:aiff?|alac|ape|dff|dsf|e?ac3|ogg|opus|speex|wma|wv)$/i

function isPlayable ({ format = '' }: TrackQuality): boolean {
  const type = format.replace(/opus/i, 'ogg').replace(/alac/i, 'mp4;codecs=alac')
  return !formats.test(format) || spare().canPlayType(`audio/${type}`) !== ''
}

/** Loads the next track while the current one plays. */
export async function prepare (signal: AbortSignal): Promise<void> {
  const key = current.value?.key
  if (extendedAt !== key) extend()
  extendedAt = key
  const next = repeat.value === 'one' ? -1 : following()
  const entry = entries.value[next]
  if (entry === undefined || next === index.value || prepared?.key === entry.key || preparing === entry.key) return
  preparing = entry.key
  try {
    const answer = await urlOf(entry.track, signal)
    if (preparing !== entry.key) return
    spare().preload = 'auto'
    give(spare(), entry.track.id, answer.url)
    prepared = { key: entry.key, given: answer }
  } catch {
    // It is requested again when it becomes current, and the error is then shown.
  }
}

export function forgetPrepared (): void {
  prepared = undefined
}

/** Returns the URL that the spare element has loaded for an entry. */
export const preparedFor = ({ key }: Entry) => prepared?.key === key ? prepared.given : undefined

/** Discards pending preparations. */
export function stopPreparing (): void {
  preparing = undefined
}

onSpare('error', forgetPrepared)
