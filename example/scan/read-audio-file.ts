import { extname, join } from 'node:path'
import { parseFile, type IAudioMetadata } from 'music-metadata'
import { cleanDate, cleanNumber, cleanText, splitList } from './clean-tags.ts'
import { guessFromPath } from './guess-from-path.ts'
import { idOf, idOfContent, plainName } from './identify.ts'
import type { FoundFile } from './walk-folder.ts'

/** What is known of one audio file. Nothing is missing: names of files and folders serve where tags are silent. */
export interface AudioFile extends FoundFile {
  /** Id of its track: the same for the same recording in another quality. */
  readonly trackId: string
  readonly title: string
  /** At least one. */
  readonly artists: readonly string[]
  readonly album: string
  readonly albumArtist: string
  readonly trackNumber?: number
  readonly discNumber?: number
  readonly year?: number
  /** Unix time in milliseconds. */
  readonly publishTime?: number
  readonly genres: readonly string[]
  readonly durationMs: number
  /** For example flac. */
  readonly format: string
  readonly lossless: boolean
  /** bit/s; null = unknown. */
  readonly bitrate: number | null
  /** When it arrived: Unix time in milliseconds. */
  readonly added: number
}

/** The name that compilations go under. */
const variousArtists = 'Various Artists'

/** Longer than any recording: a header that says more is wrong. */
const longestMs = 100 * 60 * 60 * 1000

/**
 * Reads the tags and the format of an audio file; pictures are left where they are.
 *
 * @param root the folder that `found.path` is relative to
 * @throws for a file that is no audio or broken
 */
export async function readAudioFile (root: string, found: FoundFile): Promise<Omit<AudioFile, 'added'>> {
  const file = join(root, found.path)
  const { common, format } = await parse(file)
  const guess = guessFromPath(found.path)
  const tagged = { title: cleanText(common.title), artists: artistsOf(common), album: cleanText(common.album) }

  const title = tagged.title ?? cleanText(guess.title) ?? found.path
  const artists = tagged.artists.length > 0 ? tagged.artists : [cleanText(guess.artist) ?? 'Unknown Artist']
  const album = tagged.album ?? cleanText(guess.album) ?? 'Unknown Album'
  const albumArtist = cleanText(common.albumartist) ?? (common.compilation ? variousArtists : artists[0]!)
  const trackNumber = cleanNumber(common.track.no, 9999) ?? guess.trackNumber
  const discNumber = cleanNumber(common.disk.no, 999) ?? guess.discNumber
  const durationMs = durationOf(format)

  return {
    ...found,
    trackId: tagged.title !== undefined && tagged.artists.length > 0
      ? idOf('track', ...[...artists, album, title].map(plainName), discNumber ?? 1, trackNumber ?? 0)
      : await idOfContent(file, found.size),
    title,
    artists,
    album,
    albumArtist,
    trackNumber,
    discNumber,
    ...cleanDate(common.date ?? common.year),
    genres: splitList(common.genre),
    durationMs,
    format: extname(found.path).slice(1).toLowerCase(),
    lossless: format.lossless === true,
    bitrate: bitrateOf(format.bitrate, found.size, durationMs)
  }
}

/** Some formats tell the duration only at the end of the file: those are read a second time, as a stream. */
async function parse (file: string): Promise<IAudioMetadata> {
  const metadata = await parseFile(file, { skipCovers: true })
  const { duration, codec, container } = metadata.format
  if (codec === undefined && container === undefined) throw new Error('This is no audio')
  return duration === undefined ? await parseFile(file, { skipCovers: true, duration: true }) : metadata
}

function artistsOf ({ artists = [] }: IAudioMetadata['common']): string[] {
  return artists.length > 1 ? splitList(artists) : splitList(artists, /;|\0|\s+(?:feat\.|ft\.|featuring)\s+/i)
}

function durationOf ({ duration }: IAudioMetadata['format']): number {
  const durationMs = Math.round(Number(duration) * 1000)
  return durationMs <= longestMs ? durationMs : 0
}

function bitrateOf (bitrate: number | undefined, size: number, durationMs: number): number | null {
  const rate = Math.round(bitrate ?? size * 8 / (durationMs / 1000))
  return Number.isSafeInteger(rate) && rate > 0 ? rate : null
}
