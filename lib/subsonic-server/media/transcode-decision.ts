import type { Track, TrackQuality } from '../../../schemas/index.ts'
import { extras } from '../../../schemas/extras.ts'
import { bitrateOf, type TranscodeFormat, type TranscodeProfile } from '../../media/index.ts'
import { isLossless, isTranscodeFormat } from '../../media/internal.ts'
import { isObject } from '../../options/is-object.ts'
import type { JsonObject } from '../write-xml.ts'
import { bestFirst } from './quality-for-app.ts'

/** Audio as an app knows it. */
interface Stream {
  readonly containers: readonly string[]
  readonly codec: string
  /** By the names of limitations. */
  readonly audioBitrate?: number | undefined
  readonly audioChannels?: number | undefined
  readonly audioSamplerate?: number | undefined
  readonly audioBitdepth?: number | undefined
}

/** Containers, the first of which is told, and the codec of formats that have another name than their codec. */
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

/** AAC is made in MP4; apps name it both ways. */
const streamOfMade = (format: TranscodeFormat, bitrate?: number): Stream => {
  const stream = streamOf(format === 'aac' ? 'm4a' : format, bitrate)
  return format === 'aac' ? { ...stream, containers: [...stream.containers, 'aac'] } : stream
}

/** What an app sends of itself: whatever is missing or of another type is no limit. */
const objects = (value: unknown): Record<string, unknown>[] => Array.isArray(value) ? value.filter(isObject) : []
const texts = (value: unknown): string[] => Array.isArray(value) ? value.map(text => String(text).toLowerCase()) : []
const limit = (value: unknown): number => typeof value === 'number' && value > 0 ? value : Infinity
/** An empty list is any. */
const allows = (list: readonly string[], ...names: readonly string[]) =>
  list.length === 0 || names.some(name => list.includes(name))

const comparisons: Readonly<Record<string, (value: number, limits: readonly number[]) => boolean>> = {
  Equals: (value, limits) => limits.includes(value),
  NotEquals: (value, limits) => !limits.includes(value),
  LessThanEqual: (value, [most = Infinity]) => value <= most,
  GreaterThanEqual: (value, [least = 0]) => value >= least
}

/** The limitation of a codec that a stream breaks; what is not known of it breaks none. */
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

/** Why an app cannot play a stream as it is, a text for each way that it has; `undefined` where it can. */
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

/** The first profile of an app that can be written, within its limits and those of the source. */
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

/** A track that names no quality: the source chooses. */
const unknown: Partial<TrackQuality> = {}

/** What `getTranscodeStream` is to send, as apps give it back. */
export interface Chosen { readonly quality?: string | undefined, readonly profile?: TranscodeProfile | undefined }

const writeChosen = (chosen: Chosen) => Buffer.from(JSON.stringify(chosen)).toString('base64url')

/** @returns `undefined` for what no decision has given */
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
 * How an app gets a track: as it is, in another quality that the source has, or transcoded.
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
