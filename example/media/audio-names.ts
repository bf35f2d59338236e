import { bitrateOf, readTranscoding, type TranscodeFormat, type TranscodeProfile } from 'fastify-source-origin/media'
import type { TrackFile } from '../catalogue/catalogue-items.ts'

/** Returns the file name of audio, since players read its extension. */
export const audioName = (quality: string, format: string) => `${quality}.${format}`

/** Returns the file name of a transcoding. The path is signed, so the name limits all transcodings of it. */
export function transcodedName (quality: string, profile: TranscodeProfile): string {
  const bitrate = bitrateOf(profile)
  return `${quality}${bitrate === undefined ? '' : `-${bitrate / 1000}`}.${profile.format}`
}

const transcodedNames = /^(?:[a-z]+-(\d+)\.(mp3|opus|aac)|lossless\.(flac))$/

/**
 * Returns the transcoding of an audio URL: the one in its name, or a smaller one in its query.
 *
 * @param audio a file that has the name
 * @param best the best file of the track
 */
export function wantedOf (
  name: string, audio: TrackFile | undefined, best: TrackFile | undefined, query: object
): ReturnType<typeof readTranscoding> {
  const asked = readTranscoding(query as Record<string, unknown>)
  const named = audio === undefined ? profileNamed(name, best) : undefined
  const { whole } = query as Record<string, unknown>
  if (asked === undefined) return named && { profile: named, startSeconds: 0, isWhole: whole === 'true' || undefined }
  if (audio === undefined && named === undefined) return undefined
  const isLossless = named?.format === 'flac' || audio?.lossless === true
  const most = named?.bitrate ?? (isLossless ? Infinity : audio!.bitrate ?? Infinity)
  const { profile } = asked
  // Lossy audio is never re-encoded at a higher bitrate.
  if (profile.format === 'flac') return isLossless ? asked : named && { ...asked, profile: named }
  return { ...asked, profile: { ...profile, bitrate: Math.min(bitrateOf(profile)!, most) } }
}

function profileNamed (name: string, best: TrackFile | undefined): TranscodeProfile | undefined {
  const [, kilobits, made, lossless] = transcodedNames.exec(name) ?? []
  if (lossless !== undefined) return best?.lossless ? { format: 'flac' } : undefined
  return made === undefined ? undefined : { format: made as TranscodeFormat, bitrate: Number(kilobits) * 1000 }
}
