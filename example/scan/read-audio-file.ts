import type { IAudioMetadata } from 'music-metadata'
import { cleanNumber, timeOfDate } from './clean-tags.ts'
import { completeTags } from './complete-tags.ts'
import { FileReader } from './file-reader.ts'
import { discOfSide, guessFromPath } from './guess-from-path.ts'
import { hashAudio } from './hash-audio.ts'
import { idOfContent } from './identify.ts'
import { measureFlac } from './measure-flac.ts'
import { measureMatroska } from './measure-matroska.ts'
import { measureMpeg, skipTags } from './measure-mpeg.ts'
import { measureOgg } from './measure-ogg.ts'
import { nameTrack, tagTextsOf, type TagTexts, type TrackNames } from './name-track.ts'
import { parseFile } from './parse-file.ts'
import { readExtras, releaseDateOf, type FileExtras } from './read-extras.ts'
import { headGainOf } from './read-gains.ts'
import { TagValues } from './tag-values.ts'
import { isLossless, odd, readFormat } from './read-format.ts'
import type { FoundFile } from './walk-folder.ts'

/** The metadata of an audio file. All properties are set: names of files and folders replace missing tags. */
export interface AudioFile extends FoundFile, TrackNames, FileExtras {
  readonly trackNumber?: number | undefined
  readonly discNumber?: number | undefined
  /** The year of the first release. */
  readonly year?: number
  /** The year of a reissue, which distinguishes the editions of an album. */
  readonly releaseYear?: number
  /**
   * The property that distinguishes the edition of its album from others in the library. The recording id includes it.
   */
  readonly edition?: string | undefined
  /** The id of the recording without the edition. */
  readonly plainId?: string | undefined
  /** Unix milliseconds. */
  readonly publishTime?: number
  readonly durationMs: number
  /** The format, for example flac. */
  readonly format: string
  /** The codec, if browsers do not play it: for example alac. */
  readonly codec?: string | undefined
  readonly lossless: boolean
  /** The bitrate in bit/s; null = unknown. */
  readonly bitrate: number | null
  /** The time when it arrived, in Unix milliseconds. */
  readonly added: number
  /** Unchanged texts of the tags, if other files of the album may reveal their encoding. */
  readonly texts?: TagTexts | undefined
  /** The id of the audio, if the tags do not identify it. */
  readonly contentId?: string | undefined
  /** The hash of the audio (see `hashAudio`); empty if the audio is silence or cannot be hashed. */
  readonly audio: string
}

/** The metadata that an audio file itself contains. */
export type Tagged = Omit<AudioFile, keyof FoundFile | 'added'>

/** The maximum duration in milliseconds: a longer one in a header is wrong. */
const longestMs = 100 * 60 * 60 * 1000
/** The maximum size of an Opus header in bytes. */
const longestHead = 64
/** The maximum number of tag characters that the library processes; music has far fewer. */
const mostText = 4_000_000
/** The minimum number of characters that a value counts for. */
const leastText = 1000

/**
 * Reads the tags and the format of an audio file, without pictures. Runs in a worker.
 *
 * @param root real path of the folder that `path` is relative to
 * @param signal aborts the reading
 * @throws if the file is not audio or is damaged
 */
export async function readAudioFile (
  root: string, path: string, signal: AbortSignal
): Promise<Tagged> {
  const reader = await FileReader.open(root, path, signal)
  try {
    const told = await readFormat(reader)
    const metadata = await parse(reader)
    const format = { ...metadata.format, lossless: isLossless(metadata.format) }
    const { common, native } = await completeTags(reader, metadata)
    const guess = guessFromPath(path)
    const texts = tagTextsOf(common)
    const contentId = texts.title === undefined || texts.artists.length === 0 ? await idOfContent(reader) : undefined
    const [discNumber = guess.discNumber, trackNumber = guess.trackNumber] = placeOf(common, new TagValues(native))
    const durationMs = durationOf(await measure(reader, format))
    const names = nameTrack(texts, { path, discNumber, trackNumber, contentId })
    const extras = readExtras({ common, native, format }, names, headGainOf(await reader.read(0, longestHead)))
    return {
      ...names,
      ...(texts.isUnclear ? { texts, contentId } : {}),
      trackNumber,
      discNumber,
      ...datesOf(common, extras),
      durationMs,
      format: told,
      codec: odd(format.codec, told),
      lossless: format.lossless,
      bitrate: bitrateOf(format.bitrate, reader.fileInfo.size, durationMs),
      ...extras,
      audio: await hashAudio(reader)
    }
  } finally {
    await reader.close()
  }
}

/** Returns the date of the first release, which a reissue names beside its own. */
function datesOf (
  common: IAudioMetadata['common'], { albumExtras }: FileExtras
): Pick<Tagged, 'year' | 'releaseYear' | 'publishTime'> {
  const release = releaseDateOf(common)
  const { originalReleaseDate: original = release } = albumExtras ?? {}
  const isReissue = release !== undefined && release.year !== original!.year
  return { ...timeOfDate(original as typeof release), ...isReissue && { releaseYear: release.year } }
}

/** Returns the disc and track numbers. Sides of a record are letters: `A1`. A track 0 precedes the first one. */
function placeOf (
  { disk, track }: IAudioMetadata['common'], tags: TagValues
): [disc: number | undefined, track: number | undefined] {
  const text = tags.first('TRACKNUMBER', 'TRACK', 'TRCK', 'TRK')
  const [, side, number] = /^([A-H])(\d{1,2})$/i.exec(text) ?? []
  const [disc = side] = /^[A-H]$/i.exec(tags.first('DISCNUMBER', 'DISC', 'TPOS', 'TPA')) ?? []
  const ofSide = disc === undefined ? undefined : discOfSide(disc)
  return [
    cleanNumber(disk.no, 999) ?? ofSide,
    /^0+(?:\/|$)/.test(text) ? 0 : cleanNumber(number === undefined ? track.no : Number(number), 9999)
  ]
}

async function parse (reader: FileReader): Promise<IAudioMetadata> {
  let seen = 0
  const metadata = await parseFile(reader, {
    skipCovers: true,
    observer ({ tag: { value } }) {
      seen += Math.max(leastText, typeof value === 'string' ? value.length : 0)
      if (seen > mostText) throw new Error('Its tags have too much text')
    }
  })
  const { codec, container } = metadata.format
  if (codec === undefined && container === undefined) throw new Error('not audio')
  return metadata
}

/**
 * Returns the duration in seconds. If only the complete file reveals it, it is measured here, since music-metadata is
 * slow at that.
 */
async function measure (
  reader: FileReader, { container, duration, sampleRate }: IAudioMetadata['format']
): Promise<number | undefined> {
  if (container === 'Ogg') return measureOgg(reader)
  if (container === 'FLAC' && !duration) return measureFlac(reader, await skipTags(reader), sampleRate!)
  if (container?.startsWith('EBML') && !duration) return measureMatroska(reader)
  return container === 'MPEG' || container?.startsWith('ADTS') ? measureMpeg(reader, duration) : duration
}

function durationOf (seconds: number | undefined): number {
  const durationMs = Math.round(Number(seconds) * 1000)
  return durationMs >= 0 && durationMs <= longestMs ? durationMs : 0
}

function bitrateOf (bitrate: number | undefined, size: number, durationMs: number): number | null {
  const rate = Math.round(bitrate ?? size * 8 / (durationMs / 1000))
  return Number.isSafeInteger(rate) && rate > 0 ? rate : null
}
