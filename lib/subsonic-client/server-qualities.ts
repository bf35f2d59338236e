import type { QualityOption, TrackQuality } from '../../schemas/index.ts'
import { isLossless } from '../text/audio-formats.ts'
import type { Transcoding } from './client-options.ts'
import { numberOf, textOf, type Given } from './tolerate.ts'

const labels = { lossless: 'Lossless', high: 'High', standard: 'Standard' } as const
type Key = keyof typeof labels

/** The qualities of songs on a Subsonic server. */
export const qualityMap: readonly QualityOption[] =
  Object.freeze(Object.entries(labels).map(([key, label]) => Object.freeze({ key, label })))

/** Returns kbit/s; some servers send bit/s. */
function bitRateOf (song: Given): number | undefined {
  const rate = numberOf(song.bitRate)
  return rate === undefined || rate === 0 ? undefined : Math.round(rate > 30_000 ? rate / 1000 : rate)
}

/** A quality with its request parameters. `limit` is in kbit/s, and absent for the original file. */
export interface OfferedQuality extends TrackQuality { readonly limit?: number }

/** Returns the original file, and lower qualities that the server converts to. */
export function qualitiesOf (song: Given, transcoding: Transcoding | false): OfferedQuality[] {
  const rate = bitRateOf(song)
  const format = textOf(song.suffix).toLowerCase()
  const key: Key = isLossless(format) ? 'lossless' : rate === undefined || rate < 256 ? 'standard' : 'high'
  const file: OfferedQuality = {
    key,
    label: labels[key],
    size: numberOf(song.size) ?? 0,
    bitrate: rate === undefined ? null : rate * 1000,
    ...(format && { format })
  }
  if (transcoding === false) return [file]
  const converted = (['high', 'standard'] as const)
    .filter(lower => transcoding[lower] < (rate ?? (key === 'lossless' ? Infinity : 0)) && lower !== key)
    .map(lower => ({
      key: lower,
      label: labels[lower],
      // The size of a conversion is unknown in advance.
      size: 0,
      bitrate: transcoding[lower] * 1000,
      format: transcoding.format,
      limit: transcoding[lower]
    }))
  return [file, ...converted]
}
