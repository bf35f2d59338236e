import type { QualityOption, TrackQuality } from 'fastify-source-origin'
import { bitrateOf, type TranscodeProfile } from 'fastify-source-origin/media'
import { isRare } from '../scan/read-format.ts'
import type { CatalogueTrack, TrackFile } from './catalogue-items.ts'

/** All qualities, best first. */
export const qualities: readonly QualityOption[] = [
  { key: 'lossless', label: 'Lossless' },
  { key: 'high', label: 'High' },
  { key: 'standard', label: 'Standard' },
  { key: 'saver', label: 'Data saver' },
  { key: 'original', label: 'Original file' }
]

/** The transcodings of tracks: FLAC of files in rare formats, and smaller lossy qualities. */
export const profiles: Readonly<Record<string, TranscodeProfile>> = {
  lossless: { format: 'flac' },
  standard: { format: 'mp3', bitrate: 192_000 },
  saver: { format: 'opus', bitrate: 96_000 }
}

/** Returns the qualities of files and of transcodings, best first. */
export const withMade = (
  ofFiles: readonly QualityOption[], made: Readonly<Record<string, TranscodeProfile>> = {}
): readonly QualityOption[] => {
  const isMade = ({ key }: QualityOption) =>
    Object.hasOwn(made, key) && (key !== 'lossless' || ofFiles.some(({ key }) => key === 'original'))
  return qualities.filter(quality => ofFiles.includes(quality) || isMade(quality))
}

/** The properties that determine the quality of a file. */
type Encoding = Pick<TrackFile, 'lossless' | 'bitrate' | 'codec'>

/** The minimum bitrate in bit/s of a lossy file of high quality. */
const highBitrate = 256_000

export const qualityOf = ({ lossless, bitrate }: Encoding): QualityOption =>
  qualities[lossless ? 0 : bitrate !== null && bitrate >= highBitrate ? 1 : 2]!

/** Returns the key of the quality that a file is offered as. */
export const keyOf = (file: Encoding): string => isRare(file.codec) ? 'original' : qualityOf(file).key

const rankOf = (key: string) => qualities.findIndex(quality => quality.key === key)

const bitsOf = ({ bitrate }: Encoding) => bitrate ?? 0

/** Returns a sort value: files that browsers play first, files in rare formats last. */
const oddity = ({ codec }: Encoding) => codec === undefined ? 0 : isRare(codec) ? 2 : 1

/**
 * Returns the best file of each quality of a recording, best first, preferring files that browsers play. Among equal
 * files the first is used.
 */
export function bestFiles<T extends Encoding> (files: readonly T[]): T[] {
  const sorted = files.toSorted((a, b) =>
    rankOf(qualityOf(a).key) - rankOf(qualityOf(b).key) || oddity(a) - oddity(b) || bitsOf(b) - bitsOf(a))
  return sorted.filter((file, index) => index === 0 || qualityOf(file) !== qualityOf(sorted[index - 1]!))
}

/** Returns the bitrate in bit/s; if unknown, derived from the size of the file. */
const rateOf = ({ bitrate, size }: TrackFile, durationMs: number) => bitrate ?? size * 8000 / Math.max(durationMs, 1)

/**
 * Returns a track with its files up to a bitrate; without such a file, with its smallest. Nothing is transcoded here,
 * so that every visible track is playable.
 */
export function fittingFiles (track: CatalogueTrack, bitrate: number | undefined): CatalogueTrack {
  if (bitrate === undefined) return track
  const { files, durationMs } = track
  const fitting = files.filter(file => rateOf(file, durationMs) <= bitrate)
  const smallest = files.toSorted((a, b) => rateOf(a, durationMs) - rateOf(b, durationMs)).slice(0, 1)
  return { ...track, files: fitting.length > 0 ? fitting : smallest }
}

/** A quality of a track: a file, or a transcoding of the best file. */
export interface Offer extends TrackQuality {
  readonly file?: TrackFile | undefined
  readonly profile?: TranscodeProfile | undefined
}

/**
 * Returns the qualities of a track, best first: its files, smaller transcodings, and last FLAC of a file in a rare
 * format.
 *
 * @param made the available transcodings by quality key
 * @param most the maximum bitrate in bit/s; a file with more is included only if it cannot be transcoded
 */
export function offersOf (
  { files, durationMs }: Pick<CatalogueTrack, 'files' | 'durationMs'>,
  made: Readonly<Record<string, TranscodeProfile>> = {}, most = Infinity
): Offer[] {
  const asOffer = (file: TrackFile): Offer => {
    const { codec, format, bitrate, size } = file
    return { ...qualities[rankOf(keyOf(file))]!, size, bitrate, format: codec ?? format, file }
  }
  const allowed = files.filter(file => rateOf(file, durationMs) <= most).map(asOffer)
    .filter(({ key }, index, all) => key !== all[index - 1]?.key)
  const isLossless = files[0]?.lossless === true && isRare(files[0].codec) && most === Infinity
  const others = Object.entries(made).flatMap(([key, { format, bitrate = Infinity }]): Offer[] => {
    if (key === 'lossless') {
      return isLossless ? [{ ...qualities[rankOf(key)]!, size: 0, bitrate: null, format, profile: { format } }] : []
    }
    const profile = { format, bitrate: Math.min(bitrate, most) }
    const rate = bitrateOf(profile)!
    // Files that browsers do not play are transcoded whatever their size.
    const isSmall = files.some(file => oddity(file) === 0 && rateOf(file, durationMs) <= rate)
    if (isSmall || allowed.some(offer => offer.key === key)) return []
    return [{ ...qualities[rankOf(key)]!, size: 0, bitrate: rate, format, profile }]
  })
  const offers = [...allowed, ...others].sort((a, b) => rankOf(a.key) - rankOf(b.key))
  return offers.length > 0 ? offers : files.map(asOffer)
}

/**
 * Returns the requested quality, else the next lower one, else the next higher one. Without a request, returns the best
 * file that browsers play. A transcoding is the default only for tracks without such a file.
 *
 * @param offers best first, at least one
 */
export function chooseOffer (offers: readonly Offer[], wanted: string | undefined): Offer {
  const hasWanted = wanted !== undefined && (wanted !== 'original' || offers.at(-1)!.key === wanted)
  if (hasWanted) return offers.find(({ key }) => rankOf(key) >= rankOf(wanted)) ?? offers.at(-1)!
  const ofOddity = (most: number) => offers.find(({ file }) => file && oddity(file) <= most)
  return ofOddity(0) ?? ofOddity(1) ?? offers[0]!
}
