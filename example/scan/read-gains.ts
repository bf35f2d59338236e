import type { TrackExtras } from 'fastify-source-origin'
import type { TagValues } from './tag-values.ts'

type Gains = NonNullable<TrackExtras['replayGain']>

/** The difference in dB between -23 LUFS (Opus) and -18 LUFS (ReplayGain). */
const louder = 5
/** The maximum gain in dB. A larger one is an error. */
const mostGain = 100
/** The maximum peak, relative to full scale. */
const mostPeak = 100

const inRange = (value: number, least: number, most: number): number | undefined =>
  value >= least && value <= most ? value : undefined

const rounded = (gain: number) => Math.round(gain * 100) / 100

/** Returns the ReplayGain of a file; `undefined` for missing values. */
export function gainsOf (tags: TagValues): { [Member in keyof Gains]: Gains[Member] | undefined } {
  const numberOf = (name: string) => parseFloat(tags.first(name).replace(',', '.'))
  const gainOf = (kind: string) => inRange(
    rounded(opusGain(numberOf(`R128${kind}GAIN`)) ?? numberOf(`REPLAYGAIN${kind}GAIN`)), -mostGain, mostGain)
  const peakOf = (kind: string) => inRange(numberOf(`REPLAYGAIN${kind}PEAK`), 0, mostPeak)
  return {
    trackGain: gainOf('TRACK'), albumGain: gainOf('ALBUM'), trackPeak: peakOf('TRACK'), albumPeak: peakOf('ALBUM')
  }
}

/** Converts the gain of an Opus file, in 1/256 dB, to ReplayGain. */
const opusGain = (gain: number): number | undefined => Number.isNaN(gain) ? undefined : gain / 256 + louder

/** Returns the gain in the header of an Opus file, which players apply automatically; `undefined` if there is none. */
export function headGainOf (beginning: Buffer): number | undefined {
  const at = beginning.indexOf('OpusHead') + 16
  if (at < 16 || at + 2 > beginning.length) return undefined
  return rounded(beginning.readInt16LE(at) / 256) || undefined
}
