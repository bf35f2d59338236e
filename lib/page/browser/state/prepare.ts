import type { Track, TrackQuality, TrackUrl } from '../../../client/index.ts'
import { text } from '../texts/index.ts'
import { give, onSpare, spare } from './audio.ts'
import { isSparing } from './mobile-data.ts'
import { wanted } from './player-state.ts'
import { current, entries, extend, following, index, repeat, type Entry } from './queue.ts'
import { ask, status } from './sources.ts'

/** Seconds before the end at which the next track is loaded. */
export const prepareBefore = 20

/** What the spare element has loaded. */
let prepared: { key: number, given: TrackUrl } | undefined
/** Key of the entry that is being prepared, or was. A source that refuses it is not asked again until its turn. */
let preparing: number | undefined
/** Key of the entry at whose end more tracks were asked for last: a source that fails is not asked at every moment. */
let extendedAt: number | undefined

type Failed = ReadonlySet<string | undefined>

/**
 * Asks for the URL of a track, in the quality that the listener wants, or else in one that the browser plays.
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
  // Another source may have what the listener chose there.
  const isKnown = wanted.value !== '' && (qualities.some(isWanted) || status.value?.qualityMap.some(isWanted))
  const isUseful = isKnown && !failed.has(wanted.value) && qualities.filter(isWanted).every(isPlayable)
  if (isUseful) return wanted.value
  if (failed.size === 0 && isSparing()) return smallestOf(qualities)
  return (failed.size === 0 && qualities.every(isPlayable)) ? undefined : otherQuality(qualities, failed)
}

/** Of those that the browser plays. */
const smallestOf = (qualities: readonly TrackQuality[]): string | undefined =>
  qualities.filter(quality => quality.bitrate && isPlayable(quality)).sort((a, b) => a.bitrate! - b.bitrate!)[0]?.key

/** The first quality that the browser plays and that has not failed. */
export const otherQuality = (qualities: readonly TrackQuality[], failed: Failed): string | undefined =>
  qualities.find(quality => !failed.has(quality.key) && isPlayable(quality))?.key

/** Formats that not every browser plays. */
const formats = /^(?:aiff?|alac|ape|dff|dsf|e?ac3|ogg|opus|speex|wma|wv)$/i

function isPlayable ({ format = '' }: TrackQuality): boolean {
  const type = format.replace(/opus/i, 'ogg').replace(/alac/i, 'mp4;codecs=alac')
  return !formats.test(format) || spare().canPlayType(`audio/${type}`) !== ''
}

/** Loads the next track while this one plays. */
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
    // When it is its turn, it is asked for again, and the error is shown.
  }
}

export function forgetPrepared (): void {
  prepared = undefined
}

/** What the spare element has loaded, if it is that entry. */
export const preparedFor = ({ key }: Entry) => prepared?.key === key ? prepared.given : undefined

/** What is still being asked for is not of use any more. */
export function stopPreparing (): void {
  preparing = undefined
}

onSpare('error', forgetPrepared)
