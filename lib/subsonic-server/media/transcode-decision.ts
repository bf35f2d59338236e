import type { Track, TrackQuality } from '../../../schemas/index.ts'
import { extras } from '../../../schemas/extras.ts'
import { bitrateOf, type TranscodeFormat, type TranscodeProfile } from '../../media/index.ts'
import { isTranscodeFormat } from '../../media/internal.ts'
import { isLossless } from '../../text/audio-formats.ts'
import { isObject } from '../../options/is-object.ts'
import type { JsonObject } from '../write-xml.ts'
import { bestFirst } from './quality-for-app.ts'

/** Audio in the terms of an app's abilities. */
interface Stream {
  readonly containers: readonly string[]
  readonly codec: string
  /** Properties are named by the limitations of the protocol. */
  readonly audioBitrate?: number | undefined
  readonly audioChannels?: number | undefined
  readonly audioSamplerate?: number | undefined
  readonly audioBitdepth?: number | undefined
}

/** Containers and codecs of formats whose codec has another name. The first container is reported to apps. */
const known: Readonly<Record<string, readonly [containers: readonly string[], codec: string]>> = {
  opus: [['ogg', 'opus', 'oga'], 'opus'],
  ogg: [['ogg', 'oga'], 'vorbis'],
  speex: [['ogg', 'oga'], 'speex'],
  m4a: [['m4a', 'mp4'], 'aac'],
  alac: [['m4a', 'mp4'], 'alac'],
  aac: [['aac', 'adts'], 'aac'],
  wav: [['wav'], 'pcm'],
  aiff: [['aiff', 'aif'], 'pcm']
}

function streamOf (format = '', bitrate?: number | null, more: Partial<Stream> = {}): Stream {
  const [containers, codec] = known[format.toLowerCase()] ?? [[format.toLowerCase()], format.toLowerCase()]
  return { ...more, containers, codec, audioBitrate: bitrate ?? undefined }
}

/** Describes a transcoding in the terms of an app. AAC is written as MP4; apps use either name. */
const streamOfMade = (format: TranscodeFormat, bitrate?: number): Stream => {
  const stream = streamOf(format === 'aac' ? 'm4a' : format, bitrate)
  return format === 'aac' ? { ...stream, containers: [...stream.containers, 'aac'] } : stream
}

/** Abilities sent by an app. A missing or invalid value means no limit. */
const objects = (value: unknown): Record<string, unknown>[] => Array.isArray(value) ? value.filter(isObject) : []
const texts = (value: unknown): string[] => Array.isArray(value) ? value.map(text => String(text).toLowerCase()) : []
const limit = (value: unknown): number => typeof value === 'number' && value > 0 ? value : Infinity
/** Returns whether a list contains a name. An empty list allows any name. */
const allows = (list: readonly string[], ...names: readonly string[]) =>
  list.length === 0 || names.some(name => list.includes(name))

const comparisons: Readonly<Record<string, (value: number, limits: readonly number[]) => boolean>> = {
  Equals: (value, limits) => limits.includes(value),
  NotEquals: (value, limits) => !limits.includes(value),
  LessThanEqual: (value, [most = Infinity]) => value <= most,
  GreaterThanEqual: (value, [least = 0]) => value >= least
}

/** Returns the codec limitation that a stream violates. Unknown properties violate none. */
function brokenLimit (app: Record<string, unknown>, stream: Stream): string | undefined {
  const profiles = objects(app.codecProfiles).filter(({ name }) => String(name).toLowerCase() === stream.codec)
  for (const { name, comparison, values } of profiles.flatMap(profile => objects(profile.limitations))) {
    const value = stream[name as keyof Stream]
    const holds = comparisons[String(comparison)]
    if (typeof value !== 'number' || holds === undefined) continue
    if (!holds(value, texts(values).map(Number))) return String(name)
  }
  return undefined
}

/**
 * Returns why an app cannot play a stream directly, one reason for each of its direct play profiles; `undefined` if it
 * can.
 */
function reasonsAgainst (app: Record<string, unknown>, stream: Stream): string[] | undefined {
  if ((stream.audioBitrate ?? 0) > limit(app.maxAudioBitrate)) return ['audio bitrate is not supported']
  const broken = brokenLimit(app, stream)
  if (broken !== undefined) return [`${broken} is not supported`]
  const reasons = objects(app.directPlayProfiles).map(({ containers, audioCodecs, protocols, maxAudioChannels }) => {
    if (!allows(texts(protocols), 'http', '*')) return 'protocol is not supported'
    if (!allows(texts(containers), ...stream.containers, '*')) return 'container is not supported'
    if (!allows(texts(audioCodecs), stream.codec, '*')) return 'audio codec is not supported'
    return (stream.audioChannels ?? 0) > limit(maxAudioChannels) ? 'audio channels are not supported' : undefined
  })
  return reasons.includes(undefined) ? undefined : reasons as string[]
}

/** Returns the first profile of an app that can be encoded, within the limits of the app and the source. */
function profileFor (
  app: Record<string, unknown>, quality: Partial<TrackQuality>, formats: readonly TranscodeFormat[]
): TranscodeProfile | undefined {
  const isLossy = !isLossless(quality.format)
  const ofSource = isLossy && quality.bitrate ? quality.bitrate : Infinity
  const most = Math.min(limit(app.maxTranscodingAudioBitrate), limit(app.maxAudioBitrate), ofSource)
  for (const { container, audioCodec, protocol = 'http' } of objects(app.transcodingProfiles)) {
    const format = formats.find(format => {
      const { containers, codec } = streamOfMade(format)
      const named = [container, audioCodec].map(name => String(name ?? '').toLowerCase())
      return (named[0] === '' || containers.includes(named[0]!)) && (named[1] === '' || named[1] === codec)
    })
    if (format === undefined || String(protocol).toLowerCase() !== 'http') continue
    if (format === 'flac' && (isLossy || most < Infinity)) continue
    const bitrate = bitrateOf({ format, ...most < Infinity && { bitrate: most } })
    const profile = { format, ...bitrate !== undefined && { bitrate } }
    if (brokenLimit(app, streamOfMade(format, bitrate)) === undefined && (bitrate ?? 0) <= most) return profile
  }
  return undefined
}

/** A track without qualities: the source chooses. */
const unknown: Partial<TrackQuality> = {}

/** The decision for `getTranscodeStream`, which apps send back unchanged. */
export interface Chosen { readonly quality?: string | undefined, readonly profile?: TranscodeProfile | undefined }

const writeChosen = (chosen: Chosen) => Buffer.from(JSON.stringify(chosen)).toString('base64url')

/** @returns `undefined` for a value that no decision has returned */
export function readChosen (text: string): Chosen | undefined {
  try {
    const { quality, profile } = JSON.parse(String(Buffer.from(text, 'base64url')))
    if (quality !== undefined && typeof quality !== 'string') return undefined
    if (profile === undefined) return { quality }
    const { format, bitrate } = Object(profile)
    const isProfile = isTranscodeFormat(format) && (bitrate === undefined || Number.isInteger(bitrate))
    return isProfile ? { quality, profile: { format, bitrate: bitrateOf({ format, bitrate }) } } : undefined
  } catch {
    return undefined
  }
}

const described = ({ containers: [container], ...stream }: Stream): JsonObject =>
  ({ protocol: 'http', container, ...stream })

/**
 * Decides how an app receives a track: directly, in another quality of the source, or transcoded.
 *
 * @param app its abilities, as it sent them
 */
export function decideForApp (
  { qualities = [], [extras]: more }: Pick<Track, 'qualities'> & { [extras]?: Track[typeof extras] }, app: unknown,
  formats: readonly TranscodeFormat[]
): JsonObject {
  const abilities = isObject(app) ? app : {}
  const { channelCount, samplingRate, bitDepth } = more ?? {}
  const ofFile = { audioChannels: channelCount, audioSamplerate: samplingRate, audioBitdepth: bitDepth }
  const [best = unknown, ...others] = bestFirst(qualities)
  const source = streamOf(best.format, best.bitrate, ofFile)
  const reasons = reasonsAgainst(abilities, source)
  if (reasons === undefined) {
    return { canDirectPlay: true, canTranscode: false, transcodeReason: [], sourceStream: described(source) }
  }
  const fitting = others.find(({ format, bitrate }) =>
    reasonsAgainst(abilities, streamOf(format, bitrate)) === undefined)
  const profile = fitting ? undefined : profileFor(abilities, best, formats)
  const common = { canDirectPlay: false, transcodeReason: reasons, sourceStream: described(source) }
  if (fitting === undefined && profile === undefined) {
    return { ...common, canTranscode: false, errorReason: 'No format of the app can be made of it' }
  }
  return {
    ...common,
    canTranscode: true,
    transcodeParams: writeChosen({ quality: (fitting ?? best).key, profile }),
    transcodeStream: described(
      fitting ? streamOf(fitting.format, fitting.bitrate) : streamOfMade(profile!.format, profile!.bitrate))
  }
}
