import type { Track, TrackQuality } from '../../../schemas/index.ts'
import { bitrateOf, type TranscodedPart, type TranscodeFormat, type TranscodeProfile } from '../../media/index.ts'
import { isLossless, isRare } from '../../text/audio-formats.ts'
import { bitsOf, qualityForApp, type Wanted } from './quality-for-app.ts'

/** The selected media of a track: a quality of the source, or a transcoding of it. */
export interface Decision {
  /** The selected quality. `undefined` if the track lists no qualities: the source chooses. */
  readonly quality: TrackQuality | undefined
  readonly profile?: TranscodeProfile | undefined
}

/**
 * Selects the original file if it fits, else a transcoding of the best one, in one codec for all bitrates.
 *
 * @param part the requested part
 */
export function decide (
  { qualities = [] }: Pick<Track, 'qualities'>, wanted: Wanted, formats: readonly TranscodeFormat[],
  { startSeconds = 0, isWhole = false }: TranscodedPart
): Decision {
  // Qualities that the source transcodes itself have no size and only a few bitrates.
  const files = qualities.filter(({ size }) => size)
  const offered = { qualities: formats.length > 0 && files.length > 0 ? files : qualities }
  const quality = qualityForApp(offered, wanted)
  const best = qualityForApp(offered, {})
  const format = formats.find(format => format === wanted.format)
  const isLimited = wanted.maxBitrate !== undefined || format !== undefined
  // A track without qualities counts as fitting.
  const bits = quality === undefined ? Infinity : bitsOf(quality)
  const hasLength = !(isWhole && isLimited) || Boolean(quality?.size)
  const isSmall = startSeconds === 0 && hasLength && bits <= (wanted.maxBitrate ?? Infinity)
  // Rare formats are sent only on request.
  const isOdd = isRare(best?.format) && wanted.format === undefined
  const ofFile = isOdd && isLossless(best?.format) ? 'flac' : best?.format
  const own = wanted.maxBitrate === undefined ? formats.find(format => format === ofFile) : undefined
  // Every app plays MP3, the first format.
  const chosen = format ?? own ?? formats[0]!
  const isOfFormat = quality?.format?.toLowerCase() === chosen
  const isWanted = isOfFormat || (format === undefined && quality === best && !isOdd)
  if (formats.length === 0 || (isSmall && isWanted)) return { quality }
  const isLossy = !isLossless(best?.format)
  const most = Math.min(wanted.maxBitrate ?? Infinity, isLossy && best?.bitrate ? best.bitrate : Infinity)
  // Lossy audio is never re-encoded at a higher bitrate, and FLAC has no bitrate setting.
  if (chosen !== 'flac') return { quality: best, profile: { format: chosen, bitrate: bitrateUpTo(chosen, most) } }
  if (!isLossy && wanted.maxBitrate === undefined) return { quality: best, profile: { format: chosen } }
  const other = formats.find(format => format !== 'flac')
  if (other === undefined || (isSmall && isLossy)) return { quality }
  return { quality: best, profile: { format: other, bitrate: bitrateUpTo(other, most) } }
}

const bitrateUpTo = (format: TranscodeFormat, most: number) =>
  bitrateOf({ format, ...most < Infinity && { bitrate: most } })
