import type { QualityOption, TrackQuality } from 'fastify-source-origin'
import { bitrateOf, type TranscodeProfile } from 'fastify-source-origin/media'
import { isRare } from '../scan/read-format.ts'
import type { CatalogueTrack, TrackFile } from './catalogue-items.ts'

/** Every quality there can be, best first. */
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

/** The qualities of files with those that are made, best first. */
export const withMade = (
  ofFiles: readonly QualityOption[], made: Readonly<Record<string, TranscodeProfile>> = {}
): readonly QualityOption[] => {
  const isMade = ({ key }: QualityOption) =>
    Object.hasOwn(made, key) && (key !== 'lossless' || ofFiles.some(({ key }) => key === 'original'))
  return qualities.filter(quality => ofFiles.includes(quality) || isMade(quality))
}

/** What the quality of a file comes from. */
type Encoding = Pick<TrackFile, 'lossless' | 'bitrate' | 'codec'>

/** bit/s from which a lossy file is of high quality. */
const highBitrate = 256_000

export const qualityOf = ({ lossless, bitrate }: Encoding): QualityOption =>
  qualities[lossless ? 0 : bitrate !== null && bitrate >= highBitrate ? 1 : 2]!

/** The key of the quality that a file is offered as. */
export const keyOf = (file: Encoding): string => isRare(file.codec) ? 'original' : qualityOf(file).key

const rankOf = (key: string) => qualities.findIndex(quality => quality.key === key)

const bitsOf = ({ bitrate }: Encoding) => bitrate ?? 0

/** Sorts files that browsers play first, and files in rare formats last. */
const oddity = ({ codec }: Encoding) => codec === undefined ? 0 : isRare(codec) ? 2 : 1

/**
 * The files of one recording, best first and one for each quality, which browsers play where one does; among equals the
 * first.
 */
export function bestFiles<T extends Encoding> (files: readonly T[]): T[] {
  const sorted = files.toSorted((a, b) =>
    rankOf(qualityOf(a).key) - rankOf(qualityOf(b).key) || oddity(a) - oddity(b) || bitsOf(b) - bitsOf(a))
  return sorted.filter((file, index) => index === 0 || qualityOf(file) !== qualityOf(sorted[index - 1]!))
}

/** bit/s; where nothing tells them, what the size of the file makes. */
const rateOf = ({ bitrate, size }: TrackFile, durationMs: number) => bitrate ?? size * 8000 / Math.max(durationMs, 1)

/**
 * A track with those of its files that have so many bit/s at most; where none has, with its smallest: nothing is
 * converted, and a track that an account sees can be played.
 */
export function fittingFiles (track: CatalogueTrack, bitrate: number | undefined): CatalogueTrack {
  if (bitrate === undefined) return track
  const { files, durationMs } = track
  const fitting = files.filter(file => rateOf(file, durationMs) <= bitrate)
  const smallest = files.toSorted((a, b) => rateOf(a, durationMs) - rateOf(b, durationMs)).slice(0, 1)
  return { ...track, files: fitting.length > 0 ? fitting : smallest }
}

/** A track in one quality: a file as it is, or what is made of the best one. */
export interface Offer extends TrackQuality {
  readonly file?: TrackFile | undefined
  readonly profile?: TranscodeProfile | undefined
}

/**
 * Returns the qualities of a track, best first: its files, smaller transcodings, and last FLAC of a file in a rare
 * format.
 *
 * @param made what can be transcoded, by the key of a quality
 * @param most bit/s that are allowed; a file with more is there only where nothing can be made of it
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
    // What browsers do not play is offered to them in any size.
    const isSmall = files.some(file => oddity(file) === 0 && rateOf(file, durationMs) <= rate)
    if (isSmall || allowed.some(offer => offer.key === key)) return []
    return [{ ...qualities[rankOf(key)]!, size: 0, bitrate: rate, format, profile }]
  })
  const offers = [...allowed, ...others].sort((a, b) => rankOf(a.key) - rankOf(b.key))
  return offers.length > 0 ? offers : files.map(asOffer)
}

/**
 * The quality wanted, else the next lower one, else the next higher one; without a wish the best file that browsers
 * play, if there is one. A transcoding is the default only for tracks without such a file.
 *
 * @param offers best first, at least one
 */
export function chooseOffer (offers: readonly Offer[], wanted: string | undefined): Offer {
  const hasWanted = wanted !== undefined && (wanted !== 'original' || offers.at(-1)!.key === wanted)
  if (hasWanted) return offers.find(({ key }) => rankOf(key) >= rankOf(wanted)) ?? offers.at(-1)!
  const ofOddity = (most: number) => offers.find(({ file }) => file && oddity(file) <= most)
  return ofOddity(0) ?? ofOddity(1) ?? offers[0]!
}
