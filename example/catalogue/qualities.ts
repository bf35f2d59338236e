import type { QualityOption } from 'fastify-source-origin'
import type { CatalogueTrack, TrackFile } from './catalogue-items.ts'

/** Every quality there can be, best first. */
export const qualities: readonly QualityOption[] = [
  { key: 'lossless', label: 'Lossless' },
  { key: 'high', label: 'High' },
  { key: 'standard', label: 'Standard' }
]

/** What the quality of a file comes from. */
type Encoding = Pick<TrackFile, 'lossless' | 'bitrate' | 'codec'>

/** bit/s from which a lossy file is of high quality. */
const highBitrate = 256_000

export const qualityOf = ({ lossless, bitrate }: Encoding): QualityOption =>
  qualities[lossless ? 0 : bitrate !== null && bitrate >= highBitrate ? 1 : 2]!

const rankOf = (key: string) => qualities.findIndex(quality => quality.key === key)

const bitsOf = ({ bitrate }: Encoding) => bitrate ?? 0

/** Those that browsers play come first. */
const oddity = ({ codec }: Encoding) => codec === undefined ? 0 : 1

/**
 * The files of one recording, best first and one for each quality, which browsers play where one does; among equals the
 * first.
 */
export function bestFiles<T extends Encoding> (files: readonly T[]): T[] {
  const sorted = files.toSorted((a, b) =>
    rankOf(qualityOf(a).key) - rankOf(qualityOf(b).key) || oddity(a) - oddity(b) || bitsOf(b) - bitsOf(a))
  return sorted.filter((file, index) => index === 0 || qualityOf(file) !== qualityOf(sorted[index - 1]!))
}

/**
 * The file of the quality wanted, else of the next lower one, else of the next higher one; without a wish
 * the best that browsers play, if there is one.
 *
 * @param files best first, at least one
 */
export function chooseFile<T extends Encoding> (files: readonly T[], wanted: string | undefined): T {
  if (wanted === undefined) return files.find(({ codec }) => codec === undefined) ?? files[0]!
  return files.find(file => rankOf(qualityOf(file).key) >= rankOf(wanted)) ?? files.at(-1)!
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
