import { parseBuffer, type IAudioMetadata } from 'music-metadata'
import type { FileReader } from './file-reader.ts'
import { tagEnds } from './measure-mpeg.ts'
import { mendId3, textOfFrame, volumeOf } from './mend-id3.ts'
import { pagesOf } from './measure-ogg.ts'

/** The maximum size of tags at the beginning of a file in bytes; larger ones are left to music-metadata. */
const maxBytes = 4 * 1024 * 1024
/** The number of bytes before the head of a FLAC file, in the first packet of FLAC in Ogg. */
const oggPrefix = 9

/** Tags of the album that ffmpeg writes at the track, which music-metadata ignores. */
const matroska: Readonly<Record<string, 'album' | 'albumartists' | 'date'>> = {
  'track:ALBUM': 'album', 'track:ALBUM_ARTIST': 'albumartists', 'track:DATE': 'date'
}

type Tags = Pick<IAudioMetadata, 'common' | 'native'>

/**
 * Returns the tags of a file as players read them, for cases that music-metadata does not support: comments of FLAC in
 * Ogg, the album in Matroska, the first of several ID3 tags, names with brackets and slashes.
 */
export async function completeTags (
  reader: FileReader, { common, format: { container, codec }, native }: IAudioMetadata
): Promise<Tags> {
  if (container === 'Ogg' && codec === 'FLAC') {
    // The packets are the parts of a FLAC file.
    const packets = Buffer.concat(pagesOf(await reader.read(0, maxBytes)))
    return parseBuffer(packets.subarray(oggPrefix), 'audio/flac', { skipCovers: true })
      .catch(() => ({ common, native }))
  }
  if (container === 'MPEG') {
    const [first = 0, second] = await tagEnds(reader)
    if (first === 0 || first > maxBytes) return { common, native }
    const tag = await reader.read(0, first)
    const { frames, isChanged } = mendId3(tag)
    const isOther = second !== undefined || isChanged
    const tags = isOther ? await parseBuffer(tag, 'audio/mpeg', { skipCovers: true }) : { common, native }
    return completeId3(tags, frames, tag[3] === 3)
  }
  const tags = native.matroska?.flatMap(({ id, value }) =>
    matroska[id] === undefined ? [] : [[matroska[id], matroska[id] === 'albumartists' ? [value] : value]])
  return { common: { ...Object.fromEntries(tags ?? []), ...common }, native }
}

/**
 * Matches texts in which "/" is not the separator of artists: other separators exist, or it belongs to one artist's
 * name.
 */
const ofOneName = /;|\0|\/\\| (?:feat|ft|featuring)\.? |^[^/]{1,2}(?:\/[^/]{1,2})+$/i

/** @param isSlashed whether "/" separates artists, as in ID3v2.3 */
function completeId3 ({ common, native }: Tags, frames: ReadonlyMap<string, Buffer>, isSlashed: boolean): Tags {
  const text = (id: string) => textOfFrame(frames.get(id))
  const named = (id: string) => isSlashed && text(id).includes('/')
    ? ofOneName.test(text(id)) ? [text(id)] : text(id).split('/')
    : undefined
  // "(2)" is a genre number only at the beginning.
  const genre = /^[^(]+\(/.test(text('TCON')) ? text('TCON').split('\0') : undefined
  const [artists, albumartists] = [named('TPE1'), named('TPE2')]
  const volume = volumeOf(frames.get('RVA2'))
  const told = volume && { id: `REPLAYGAIN_${volume.isAlbum ? 'ALBUM' : 'TRACK'}_GAIN`, value: `${volume.gain} dB` }
  return {
    common: { ...common, ...genre && { genre }, ...artists && { artists }, ...albumartists && { albumartists } },
    // After the values of TXXX, which take precedence.
    native: told ? { ...native, RVA2: [told] } : native
  }
}
