import { effect, signal } from '@preact/signals'
import type { TrackExtras } from '../../../../schemas/extras.ts'
import { loadTrackExtras } from './load-extras.ts'
import { current, entries, following } from './queue.ts'
import { keep, recall } from './storage.ts'

export type GainMode = 'off' | 'track' | 'album'

/** The maximum preamplification and attenuation in decibels. */
export const mostPreamp = 12

const kept = recall<unknown>('gain', 'off')
export const gainMode = signal<GainMode>(kept === 'track' || kept === 'album' ? kept : 'off')
/** The preamplification in decibels. */
export const preamp = signal(Math.max(-mostPreamp, Math.min(mostPreamp, Number(recall('preamp', 0)) || 0)))
// Stored separately, since another tab may have changed either of them.
effect(() => keep('gain', gainMode.value))
effect(() => keep('preamp', preamp.value))

/** The extras of tracks by id. */
const gains = signal<ReadonlyMap<string, TrackExtras>>(new Map())
effect(() => {
  if (gainMode.value === 'off') return
  const ids = [current.value, entries.value[following()]].flatMap(entry => entry?.track.id ?? [])
  // Without extras, tracks play at their original loudness.
  loadTrackExtras(ids).then(found => { gains.value = new Map([...gains.value, ...found]) }, () => {})
})

/** Returns the volume factor of a track. It is limited by the track's peak, so that the sound does not clip. */
export function gainOf (id: string | undefined): number {
  const { trackGain, albumGain, trackPeak, albumPeak, fallbackGain } = gains.value.get(id ?? '')?.replayGain ?? {}
  const [gain, peak] = gainMode.value === 'album'
    ? [albumGain ?? trackGain, albumPeak ?? trackPeak]
    : [trackGain ?? albumGain, trackPeak ?? albumPeak]
  const decibels = (gain ?? fallbackGain ?? NaN) + preamp.value
  if (gainMode.value === 'off' || Number.isNaN(decibels)) return 1
  return Math.min(10 ** (decibels / 20), 1 / (peak || 1))
}
