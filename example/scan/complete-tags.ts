import { parseBuffer, type IAudioMetadata } from 'music-metadata'
import type { FileReader } from './file-reader.ts'
import { tagEnds } from './measure-mpeg.ts'
import { pagesOf } from './measure-ogg.ts'

/** Bytes at the beginning of a file that its tags are in; larger ones are as music-metadata reads them. */
const most = 4 * 1024 * 1024
/** Bytes before the head of a FLAC file, in the first packet of FLAC in Ogg. */
const oggPrefix = 9

/** What ffmpeg says of the album with the track, where music-metadata takes no notice of it. */
const matroska: Readonly<Record<string, 'album' | 'albumartists' | 'date'>> = {
  'track:ALBUM': 'album', 'track:ALBUM_ARTIST': 'albumartists', 'track:DATE': 'date'
}

type Tags = Pick<IAudioMetadata, 'common' | 'native'>

/**
 * The tags of a file as players read them, where music-metadata does not: comments of FLAC in Ogg, the album in
 * Matroska, the first of several ID3 tags.
 */
export async function completeTags (
  reader: FileReader, { common, format: { container, codec }, native }: IAudioMetadata
): Promise<Tags> {
  if (container === 'Ogg' && codec === 'FLAC') {
    // Its packets are the parts of a FLAC file.
    const packets = Buffer.concat(pagesOf(await reader.read(0, most)))
    return parseBuffer(packets.subarray(oggPrefix), 'audio/flac', { skipCovers: true })
      .catch(() => ({ common, native }))
  }
  if (container === 'MPEG') {
    const [first = 0, second] = await tagEnds(reader)
    if (second === undefined || first > most) return { common, native }
    return parseBuffer(await reader.read(0, first), 'audio/mpeg', { skipCovers: true })
  }
  const tags = native.matroska?.flatMap(({ id, value }) =>
    matroska[id] === undefined ? [] : [[matroska[id], matroska[id] === 'albumartists' ? [value] : value]])
  return { common: { ...Object.fromEntries(tags ?? []), ...common }, native }
}
