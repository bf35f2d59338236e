import { bitrates, isTranscodeFormat, type TranscodeProfile } from './ffmpeg.ts'

/** Options of a transcoding in addition to its profile. */
export interface TranscodedPart {
  /** Seconds to skip at the beginning, rounded down to a whole number. Default: 0. */
  startSeconds?: number | undefined
  /** Whether to wait for the end, so that the length is known. Default: only if the request has a range. */
  isWhole?: boolean | undefined
}

/**
 * Returns the URL of media in another format. The signature does not cover the format: a client that may load the media
 * may load it in any format.
 */
export function transcodedUrl (
  url: string, { format, bitrate }: TranscodeProfile, { startSeconds = 0, isWhole = false }: TranscodedPart = {}
): string {
  const query = new URLSearchParams({
    format,
    ...bitrate !== undefined && { bitrate: String(bitrate) },
    ...startSeconds > 0 && { start: String(startSeconds) },
    ...isWhole && { whole: 'true' }
  })
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

/** The maximum start in seconds. No media is longer. */
const longest = 10_000_000

/** Reads the transcoding options from a query; `undefined` if it has none. */
export function readTranscoding (
  query: Readonly<Record<string, unknown>>
): { profile: TranscodeProfile, startSeconds: number, isWhole: true | undefined } | undefined {
  const { format, bitrate, start, whole } = query
  if (!isTranscodeFormat(format)) return undefined
  const wanted = bitrates.find(known => String(known) === bitrate)
  const seconds = /^\d+(?:\.\d{1,3})?$/.test(String(start)) ? Math.min(Math.floor(Number(start)), longest) : 0
  const profile = { format, ...wanted !== undefined && { bitrate: wanted } }
  return { profile, startSeconds: seconds, isWhole: whole === 'true' || undefined }
}
