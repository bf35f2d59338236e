import type { IAudioMetadata } from 'music-metadata'
import { cleanDate, cleanNumber } from './clean-tags.ts'
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
import { readExtras, type FileExtras } from './read-extras.ts'
import { headGainOf } from './read-gains.ts'
import { TagValues } from './tag-values.ts'
import { isLossless, odd, readFormat } from './read-format.ts'
import type { FoundFile } from './walk-folder.ts'

/** What is known of one audio file. Nothing is missing: names of files and folders serve where tags are silent. */
export interface AudioFile extends FoundFile, TrackNames, FileExtras {
  readonly trackNumber?: number | undefined
  readonly discNumber?: number | undefined
  readonly year?: number
  /** What tells the edition of its album from others of the library, which its recording is of then. */
  readonly edition?: string | undefined
  /** Id of the recording without the edition. */
  readonly plainId?: string | undefined
  /** Unix time in milliseconds. */
  readonly publishTime?: number
  readonly durationMs: number
  /** For example flac. */
  readonly format: string
  /** Its codec, where browsers do not play it: for example alac. */
  readonly codec?: string | undefined
  readonly lossless: boolean
  /** bit/s; null = unknown. */
  readonly bitrate: number | null
  /** When it arrived: Unix time in milliseconds. */
  readonly added: number
  /** Texts as the tags have them, where other files of the album may tell more of their encoding. */
  readonly texts?: TagTexts | undefined
  /** Id of the audio itself, where the tags do not tell it apart. */
  readonly contentId?: string | undefined
  /** Tells the audio whatever its tags are, as `hashAudio` gives it; null where it was not asked for yet. */
  readonly audio: string | null
}

/** What an audio file tells by itself. */
export type Tagged = Omit<AudioFile, keyof FoundFile | 'added'>

/** Longer than any recording: a header that says more is wrong. */
const longestMs = 100 * 60 * 60 * 1000
/** Bytes that the header of an Opus file is in. */
const longestHead = 64
/** Characters of tags that the library may look at, in all it does with them; music has much less. */
const mostText = 4_000_000
/** Characters that a value counts for, however short. */
const leastText = 1000

/**
 * Reads the tags and the format of an audio file; pictures are left where they are. For a worker.
 *
 * @param root real path of the folder that `path` is relative to
 * @param signal ends the reading when it is aborted
 * @throws for a file that is no audio or broken
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
    return {
      ...names,
      ...(texts.isUnclear ? { texts, contentId } : {}),
      trackNumber,
      discNumber,
      ...cleanDate(common.date ?? common.year ?? common.releasedate ?? common.originaldate ?? common.originalyear),
      durationMs,
      format: told,
      codec: odd(format.codec, told),
      lossless: format.lossless,
      bitrate: bitrateOf(format.bitrate, reader.fileInfo.size, durationMs),
      ...readExtras({ common, native, format }, names, headGainOf(await reader.read(0, longestHead))),
      audio: await hashAudio(reader)
    }
  } finally {
    await reader.close()
  }
}

/** Disc and number, of which sides of a record are told by letters: `A1`. A track 0 is before the first one. */
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
  if (codec === undefined && container === undefined) throw new Error('This is no audio')
  return metadata
}

/** Seconds. Where only all of the file tells them, it is read here, since the library takes long for it. */
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
