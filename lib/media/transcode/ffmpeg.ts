import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { audioTypeOf } from '../../text/media-type-of.ts'

/** The output format of a transcoding. Each format can be played while it is still written. */
export type TranscodeFormat = 'mp3' | 'opus' | 'aac' | 'flac'

/** The output settings of a transcoding. */
export interface TranscodeProfile {
  format: TranscodeFormat
  /** The bitrate in bit/s, rounded down to one of `bitrates`. Ignored for FLAC. Default: 192000, for Opus 128000. */
  bitrate?: number | undefined
}

/** The supported bitrates in bit/s. */
export const bitrates = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320].map(kilobits => kilobits * 1000)

interface Format {
  readonly encoder: string
  readonly output: readonly string[]
  /** The default bitrate in bit/s. Absent if the format has no bitrate. */
  readonly bitrate?: number
  /** The maximum bitrate in bit/s that the encoder accepts for one channel. */
  readonly most?: number
}

/** The settings of each format. The output is written without seeking back, since it is a pipe. */
const formats: Readonly<Record<TranscodeFormat, Format>> = {
  mp3: { encoder: 'libmp3lame', output: ['-write_xing', '0', '-id3v2_version', '3', '-f', 'mp3'], bitrate: 192_000 },
  opus: { encoder: 'libopus', output: ['-vbr', 'constrained', '-f', 'ogg'], bitrate: 128_000, most: 256_000 },
  // Fragments of one second need no index at the end of the file.
  aac: {
    encoder: 'aac',
    output: [
      '-aac_coder', 'fast', '-movflags', '+empty_moov+delay_moov+default_base_moof', '-frag_duration', '1000000',
      '-f', 'mp4'
    ],
    bitrate: 192_000
  },
  flac: { encoder: 'flac', output: ['-f', 'flac'] }
}

/** Returns the media type of a transcoding. */
export const typeOfTranscoding = (format: TranscodeFormat): string => audioTypeOf(format === 'aac' ? 'm4a' : format)!

export const isTranscodeFormat = (value: unknown): value is TranscodeFormat =>
  typeof value === 'string' && Object.hasOwn(formats, value)

/** Returns the approximate number of bytes per second. */
export const bytesPerSecond = (profile: TranscodeProfile): number => (bitrateOf(profile) ?? 800_000) / 8

/** Returns the effective bitrate of a profile; `undefined` for FLAC. */
export function bitrateOf ({ format, bitrate }: TranscodeProfile): number | undefined {
  const { bitrate: usual, most = Infinity } = formats[format]
  if (usual === undefined || bitrate === undefined) return usual
  return bitrates.findLast(known => known <= Math.min(bitrate, most)) ?? bitrates[0]
}

/** Demuxers that ffmpeg may use. Playlists are excluded, since they would lead to other files. */
const inputs = [
  'aac', 'ac3', 'aiff', 'ape', 'asf', 'dsf', 'eac3', 'flac', 'iff', 'matroska', 'mov', 'mp3', 'mpc', 'mpc8', 'ogg',
  'tak', 'tta', 'w64', 'wav', 'wv'
].join()

/** Sample rates allowed in FLAC: rates of DSD are too high for players. */
const ratesOfFlac = [
  8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000
].join('|')

/** Copies the tags of the file, and of its stream (Ogg stores them there), without technical MP4 tags. */
const tags = [
  '-map_metadata', '0', '-map_metadata', '0:s:a:0',
  ...['major_brand', 'minor_version', 'compatible_brands', 'handler_name', 'vendor_id', 'language', 'creation_time']
    .flatMap(name => ['-metadata', `${name}=`])
]

/**
 * Returns the arguments of a run. They come from this table and from numbers, never from a request.
 *
 * @param input ffmpeg's input; `pipe:0` cannot seek, so audio before `start` is decoded and dropped
 * @param start seconds
 */
export function argumentsOf (profile: TranscodeProfile, input: string, start: number): string[] {
  const { encoder, output } = formats[profile.format]
  const bitrate = bitrateOf(profile)
  const seek = start > 0 ? ['-ss', String(start)] : []
  // A start after the end would write a head without sound.
  const abort = start > 0 ? ['-abort_on', 'empty_output'] : []
  const [before, after] = input === 'pipe:0' ? [[], seek] : [seek, []]
  return [
    '-hide_banner', '-nostdin', '-loglevel', 'error', '-protocol_whitelist', 'file,pipe', '-format_whitelist', inputs,
    // Decoding a large cover would take hundreds of MB.
    ...abort, '-max_pixels', '1', ...before, '-i', input, ...after,
    '-map', '0:a:0', '-map_chapters', '-1', '-threads', '1', ...tags,
    '-af', `aformat=${profile.format === 'flac' ? `sample_rates=${ratesOfFlac}` : 'channel_layouts=mono|stereo'}`,
    '-c:a', encoder, ...bitrate === undefined ? [] : ['-b:a', String(bitrate)],
    // The same bytes each time, written in larger blocks than one packet.
    '-fflags', '+bitexact', '-flags:a', '+bitexact', '-flush_packets', '0', ...output, 'pipe:1'
  ]
}

const run = promisify(execFile)

/** The timeout in milliseconds: a busy or spun-down disk reads a large program slowly. */
const answersWithin = 60_000

/** The oldest major version that supports all of `argumentsOf`. */
const oldest = 4

/** The formats that an ffmpeg can write. */
export interface FoundFormats {
  readonly formats: readonly TranscodeFormat[]
  /** The version of ffmpeg and of its libraries. */
  readonly version: string
}

/**
 * Detects the formats that an ffmpeg can write. Logs one line about missing ones.
 *
 * @param isNamed whether a setting names this ffmpeg, so that a missing one is a problem
 * @returns an empty list of formats without ffmpeg
 */
export async function findFormats (
  ffmpeg: string, log: Pick<FastifyBaseLogger, 'info' | 'warn'>, isNamed = false
): Promise<FoundFormats> {
  try {
    const ask = async (question: string) => {
      const { stdout } = await run(ffmpeg, ['-hide_banner', question], { timeout: answersWithin, maxBuffer: 2 ** 24 })
      return stdout
    }
    const words = await ask('-version')
    const version = /^ffmpeg version n?(\S+)/i.exec(words)?.[1]
    if (version === undefined) throw new Error(`${ffmpeg} is not ffmpeg`)
    // A build from a commit has no version number.
    if (Number(/^\d+/.exec(version)?.[0] ?? oldest) < oldest) throw new Error(`its version ${version} is too old`)
    const encoders = await ask('-encoders')
    const found = (Object.keys(formats) as TranscodeFormat[])
      .filter(format => new RegExp(`^ A\\S* +${formats[format].encoder} `, 'm').test(encoders))
    const lacking = Object.keys(formats).filter(format => !found.includes(format as TranscodeFormat))
    if (lacking.length > 0) log.warn({ version, lacking }, 'ffmpeg formats missing')
    else log.info({ version }, 'ffmpeg found')
    return { formats: found, version: words }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT'
    const reason = isMissing ? 'it is not installed' : message
    log[isMissing && !isNamed ? 'info' : 'warn']({ ffmpeg, reason }, 'ffmpeg unavailable')
    return { formats: [], version: '' }
  }
}
