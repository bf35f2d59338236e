import type { Track, TrackQuality } from '../../../schemas/index.ts'
import { bitrateOf, type TranscodeFormat, type TranscodeProfile } from '../../media/index.ts'
import { isLossless } from '../../media/internal.ts'
import { bitsOf, qualityForApp, type Wanted } from './quality-for-app.ts'

/** What an app gets of a track: a quality as it is, or a transcoding of it. */
export interface Decision {
  /** `undefined` where the track names none: the source chooses. */
  readonly quality: TrackQuality | undefined
  readonly profile?: TranscodeProfile | undefined
}

/** Decides by what the track has first: a transcoding only where nothing of that fits, or a part is asked for. */
export function decide (
  track: Pick<Track, 'qualities'>, wanted: Wanted, formats: readonly TranscodeFormat[], start: number
): Decision {
  const quality = qualityForApp(track, wanted)
  const best = qualityForApp(track, {})
  const format = formats.find(format => format === wanted.format)
  // A track that names no quality is as it is asked for.
  const bits = quality === undefined ? Infinity : bitsOf(quality)
  const isSmall = start === 0 && bits <= (wanted.maxBitrate ?? Infinity)
  const isWanted = isSmall && (format === undefined || quality?.format?.toLowerCase() === format)
  if (formats.length === 0 || isWanted) return { quality }
  const isLossy = !isLossless(best?.format)
  const most = Math.min(wanted.maxBitrate ?? Infinity, isLossy && best?.bitrate ? best.bitrate : Infinity)
  const chosen = format ?? formats.find(format => format === best?.format) ?? formats[0]!
  // What is lossy is never made larger, and FLAC has the size that it has.
  if (chosen !== 'flac') return { quality: best, profile: { format: chosen, bitrate: bitrateUpTo(chosen, most) } }
  if (!isLossy && wanted.maxBitrate === undefined) return { quality: best, profile: { format: chosen } }
  const other = formats.find(format => format !== 'flac')
  if (other === undefined || (isSmall && isLossy)) return { quality }
  return { quality: best, profile: { format: other, bitrate: bitrateUpTo(other, most) } }
}

const bitrateUpTo = (format: TranscodeFormat, most: number) =>
  bitrateOf({ format, ...most < Infinity && { bitrate: most } })
