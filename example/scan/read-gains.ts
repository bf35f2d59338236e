import type { TrackExtras } from 'fastify-source-origin'
import type { TagValues } from './tag-values.ts'

type Gains = NonNullable<TrackExtras['replayGain']>

/** Opus files are for -23 LUFS, ReplayGain for -18. */
const louder = 5
/** dB. More is a mistake. */
const mostGain = 100
/** Times full scale. */
const mostPeak = 100

const inRange = (value: number, least: number, most: number): number | undefined =>
  value >= least && value <= most ? value : undefined

const rounded = (gain: number) => Math.round(gain * 100) / 100

/** ReplayGain of a file, `undefined` what its tags do not tell. */
export function gainsOf (tags: TagValues): { [Member in keyof Gains]: Gains[Member] | undefined } {
  const numberOf = (name: string) => parseFloat(tags.first(name).replace(',', '.'))
  const gainOf = (kind: string) => inRange(
    rounded(opusGain(numberOf(`R128${kind}GAIN`)) ?? numberOf(`REPLAYGAIN${kind}GAIN`)), -mostGain, mostGain)
  const peakOf = (kind: string) => inRange(numberOf(`REPLAYGAIN${kind}PEAK`), 0, mostPeak)
  return {
    trackGain: gainOf('TRACK'), albumGain: gainOf('ALBUM'), trackPeak: peakOf('TRACK'), albumPeak: peakOf('ALBUM')
  }
}

/** The gain of an Opus file, in 1/256 dB, as that of ReplayGain. */
const opusGain = (gain: number): number | undefined => Number.isNaN(gain) ? undefined : gain / 256 + louder

/** The gain in the header of an Opus file, which players apply by themselves; `undefined` where there is none. */
export function headGainOf (beginning: Buffer): number | undefined {
  const at = beginning.indexOf('OpusHead') + 16
  if (at < 16 || at + 2 > beginning.length) return undefined
  return rounded(beginning.readInt16LE(at) / 256) || undefined
}
