import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { FastifyBaseLogger } from 'fastify'
import { audioTypeOf } from '../../text/media-type-of.ts'

/** What a transcoding is written as. Each is heard while it is still written. */
export type TranscodeFormat = 'mp3' | 'opus' | 'aac' | 'flac'

/** What is made of a track. */
export interface TranscodeProfile {
  format: TranscodeFormat
  /** bit/s, rounded down to one of `bitrates`. Not of FLAC. Default: 192000, of Opus 128000. */
  bitrate?: number | undefined
}

/** bit/s that there are. */
export const bitrates = [32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320].map(kilobits => kilobits * 1000)

interface Format {
  readonly encoder: string
  readonly output: readonly string[]
  /** bit/s without a wish; none where the format has none. */
  readonly bitrate?: number
  /** bit/s that it takes for one channel. */
  readonly most?: number
}

/** What is written without going back in the file, as a pipe needs it. */
const formats: Readonly<Record<TranscodeFormat, Format>> = {
  mp3: { encoder: 'libmp3lame', output: ['-write_xing', '0', '-id3v2_version', '3', '-f', 'mp3'], bitrate: 192_000 },
  opus: { encoder: 'libopus', output: ['-vbr', 'constrained', '-f', 'ogg'], bitrate: 128_000, most: 256_000 },
  // Fragments of a second need no index at the end.
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

/** The media type that a transcoding is sent with. */
export const typeOfTranscoding = (format: TranscodeFormat): string => audioTypeOf(format === 'aac' ? 'm4a' : format)!

export const isTranscodeFormat = (value: unknown): value is TranscodeFormat =>
  typeof value === 'string' && Object.hasOwn(formats, value)

/** Bytes of a second, about. */
export const bytesPerSecond = (profile: TranscodeProfile): number => (bitrateOf(profile) ?? 800_000) / 8

/** The bitrate that a profile comes to: `undefined` of FLAC. */
export function bitrateOf ({ format, bitrate }: TranscodeProfile): number | undefined {
  const { bitrate: usual, most = Infinity } = formats[format]
  if (usual === undefined || bitrate === undefined) return usual
  return bitrates.findLast(known => known <= Math.min(bitrate, most)) ?? bitrates[0]
}

/** What ffmpeg may take the input for: no playlist, which would lead to other files. */
const inputs = [
  'aac', 'ac3', 'aiff', 'ape', 'asf', 'dsf', 'eac3', 'flac', 'iff', 'matroska', 'mov', 'mp3', 'mpc', 'mpc8', 'ogg',
  'tak', 'tta', 'w64', 'wav', 'wv'
].join()

/** Samples per second of FLAC: DSD has more than players take. */
const ratesOfFlac = [
  8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000
].join('|')

/** Those of the file, and of its stream, where Ogg has them; without those that say how an MP4 is made. */
const tags = [
  '-map_metadata', '0', '-map_metadata', '0:s:a:0',
  ...['major_brand', 'minor_version', 'compatible_brands', 'handler_name', 'vendor_id', 'language', 'creation_time']
    .flatMap(name => ['-metadata', `${name}=`])
]

/**
 * The arguments of a run: from this table and from numbers, never from a request.
 *
 * @param input what ffmpeg opens; `pipe:0` cannot be sought in, so what comes before `start` is decoded and left out
 * @param start seconds
 */
export function argumentsOf (profile: TranscodeProfile, input: string, start: number): string[] {
  const { encoder, output } = formats[profile.format]
  const bitrate = bitrateOf(profile)
  const seek = start > 0 ? ['-ss', String(start)] : []
  // A time past the end makes a head without sound.
  const abort = start > 0 ? ['-abort_on', 'empty_output'] : []
  const [before, after] = input === 'pipe:0' ? [[], seek] : [seek, []]
  return [
    '-hide_banner', '-nostdin', '-loglevel', 'error', '-protocol_whitelist', 'file,pipe', '-format_whitelist', inputs,
    // A large cover would take hundreds of MB.
    ...abort, '-max_pixels', '1', ...before, '-i', input, ...after,
    '-map', '0:a:0', '-map_chapters', '-1', '-threads', '1', ...tags,
    '-af', `aformat=${profile.format === 'flac' ? `sample_rates=${ratesOfFlac}` : 'channel_layouts=mono|stereo'}`,
    '-c:a', encoder, ...bitrate === undefined ? [] : ['-b:a', String(bitrate)],
    // Equal bytes each time. In writes of some size, not one for each packet.
    '-fflags', '+bitexact', '-flags:a', '+bitexact', '-flush_packets', '0', ...output, 'pipe:1'
  ]
}

const run = promisify(execFile)

/** Milliseconds: a disk that is busy, or has just been started, reads a large program slowly. */
const answersWithin = 60_000

/** The first one that has all that `argumentsOf` needs. */
const oldest = 4

/** What an ffmpeg can write. */
export interface FoundFormats {
  readonly formats: readonly TranscodeFormat[]
  /** What it says of its version, and of those of its parts. */
  readonly version: string
}

/**
 * Asks an ffmpeg what it can write. What is missing is one line in the log.
 *
 * @param isNamed whether somebody has asked for this one, so that it must not be missing
 * @returns no formats if there is no ffmpeg
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
    if (version === undefined) throw new Error(`${ffmpeg} is no ffmpeg`)
    // One that is built from a commit has no number.
    if (Number(/^\d+/.exec(version)?.[0] ?? oldest) < oldest) throw new Error(`its version ${version} is too old`)
    const encoders = await ask('-encoders')
    const found = (Object.keys(formats) as TranscodeFormat[])
      .filter(format => new RegExp(`^ A\\S* +${formats[format].encoder} `, 'm').test(encoders))
    const lacking = Object.keys(formats).filter(format => !found.includes(format as TranscodeFormat))
    if (lacking.length > 0) log.warn({ version, lacking }, 'This ffmpeg cannot write some formats')
    else log.info({ version }, 'Audio is transcoded where it is asked for')
    return { formats: found, version: words }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT'
    const reason = isMissing ? 'it is not installed' : message
    log[isMissing && !isNamed ? 'info' : 'warn']({ ffmpeg, reason }, 'There is no ffmpeg, so audio is sent as it is')
    return { formats: [], version: '' }
  }
}
