import type { Track, TrackQuality } from '../../../schemas/index.ts'
import { isLossless } from '../../text/audio-formats.ts'
import { audioTypeOf } from '../../text/media-type-of.ts'

/** The format limits that an app requests. */
export interface Wanted {
  /** The maximum bitrate in bit/s. */
  maxBitrate?: number | undefined
  /** The format in lower case. */
  format?: string | undefined
}

/** Returns the bitrate in bit/s. Lossless qualities without one rank highest. */
export const bitsOf = ({ bitrate, format }: TrackQuality): number =>
  bitrate ?? (isLossless(format) ? Infinity : 0)

/**
 * Sorts qualities: lossless first, since a quiet recording may need fewer bits than a lossy one. Conversions, which
 * have no size, are last.
 */
export const bestFirst = (qualities: readonly TrackQuality[]): TrackQuality[] => qualities.toSorted((a, b) =>
  Number(b.size > 0) - Number(a.size > 0) ||
  Number(isLossless(b.format)) - Number(isLossless(a.format)) || bitsOf(b) - bitsOf(a))

/** Returns the quality of a track for an app; `undefined` if the track lists no qualities. */
export function qualityForApp (
  { qualities = [] }: Pick<Track, 'qualities'>, { maxBitrate, format }: Wanted
): TrackQuality | undefined {
  const ofFormat = format === undefined ? [] : qualities.filter(quality => quality.format?.toLowerCase() === format)
  const sorted = bestFirst(ofFormat.length > 0 ? ofFormat : qualities)
  if (maxBitrate !== undefined) return sorted.find(quality => bitsOf(quality) <= maxBitrate) ?? sorted.at(-1)
  return sorted[0]
}

/** File extensions of formats that are named by their codec. */
const extensions: Readonly<Record<string, string>> = { alac: 'm4a', speex: 'ogg', adpcm: 'wav' }

/** Returns the file extension for apps; `mp3` if the format is unknown. */
export const suffixOf = (format: string | undefined): string => {
  const suffix = format?.toLowerCase() ?? ''
  return /^[a-z0-9]{1,8}$/.test(suffix) ? extensions[suffix] ?? suffix : 'mp3'
}

/** Returns the media type. `.mp4` has the type of audio. */
export const contentTypeOf = (format: string | undefined): string => audioTypeOf(suffixOf(format)) ?? 'audio/mpeg'
