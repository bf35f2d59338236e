import type { Track, TrackQuality } from '../../../schemas/index.ts'
import { isLossless } from '../../media/internal.ts'
import { audioTypeOf } from '../../text/media-type-of.ts'

/** What an app asks for. */
export interface Wanted {
  /** bit/s at most. */
  maxBitrate?: number | undefined
  /** In lower case. */
  format?: string | undefined
}

/** bit/s; what is lossless and does not say is above everything else. */
export const bitsOf = ({ bitrate, format }: TrackQuality): number =>
  bitrate ?? (isLossless(format) ? Infinity : 0)

/** Lossless first, since a quiet recording may need fewer bits than a lossy one. Conversions, without a size, last. */
export const bestFirst = (qualities: readonly TrackQuality[]): TrackQuality[] => qualities.toSorted((a, b) =>
  Number(b.size > 0) - Number(a.size > 0) ||
  Number(isLossless(b.format)) - Number(isLossless(a.format)) || bitsOf(b) - bitsOf(a))

/** The quality of a track that an app gets; `undefined` where the track names none. */
export function qualityForApp (
  { qualities = [] }: Pick<Track, 'qualities'>, { maxBitrate, format }: Wanted
): TrackQuality | undefined {
  const ofFormat = format === undefined ? [] : qualities.filter(quality => quality.format?.toLowerCase() === format)
  const sorted = bestFirst(ofFormat.length > 0 ? ofFormat : qualities)
  if (maxBitrate !== undefined) return sorted.find(quality => bitsOf(quality) <= maxBitrate) ?? sorted.at(-1)
  return sorted[0]
}

/** Extensions of files whose format is told by their codec. */
const extensions: Readonly<Record<string, string>> = { alac: 'm4a', speex: 'ogg', adpcm: 'wav' }

/** What apps take for the extension of the file; `mp3` where nothing is known. */
export const suffixOf = (format: string | undefined): string => {
  const suffix = format?.toLowerCase() ?? ''
  return /^[a-z0-9]{1,8}$/.test(suffix) ? extensions[suffix] ?? suffix : 'mp3'
}

/** Of `.mp4` too it is the type of audio. */
export const contentTypeOf = (format: string | undefined): string => audioTypeOf(suffixOf(format)) ?? 'audio/mpeg'
