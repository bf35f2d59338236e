import type { TrackLyrics } from '../../schemas/index.ts'
import { NotFoundError } from '../contract/errors.ts'
import type { SourceAdapter } from '../contract/source-adapter.ts'
import { qualitiesOf } from './server-qualities.ts'
import type { RemoteSource } from './subsonic-adapter.ts'
import { flagOf, listOf, numberOf, objectOf, textOf, unlessGone, type Given } from './tolerate.ts'
import { writeLrc, writeWords } from './write-lrc.ts'

/** Returns the lyrics of one structured text, shifted by its offset. */
function textOfLyrics (lyrics: Given): string {
  const isSynced = flagOf(lyrics.synced)
  const lines = listOf(lyrics.line).map(({ start, value }) =>
    ({ start: isSynced ? numberOf(start) : undefined, value: textOf(value) }))
  return writeLrc(lines, Number(lyrics.offset) || 0)
}

async function structuredLyrics (source: RemoteSource, id: string): Promise<TrackLyrics | undefined> {
  const version = await source.extension('songLyrics')
  if (version === 0) return undefined
  const query = { id, enhanced: version > 1 || undefined }
  const found = await unlessGone(source.tryTo('getLyricsBySongId', query, true))
  const all = listOf(objectOf(found?.lyricsList).structuredLyrics)
  const ofKind = (kind: string) => all.filter(lyrics => (textOf(lyrics.kind) || 'main') === kind)
  // Lyrics with times are preferred.
  const main = ofKind('main').sort((a, b) => Number(flagOf(b.synced)) - Number(flagOf(a.synced)))[0]
  if (main === undefined) return undefined
  const [translation] = ofKind('translation')
  const translatedLyrics = translation === undefined ? '' : textOfLyrics(translation)
  return { lyrics: textOfLyrics(main), wordLyrics: writeWords(main), translatedLyrics }
}

/** Methods for audio and lyrics of tracks. */
export function mediaOnServer (source: RemoteSource) {
  return {
    async getTrackUrl (id, quality) {
      const song = await source.song(id)
      if (textOf(song.id) === '') throw new NotFoundError('Track not found')
      const offered = qualitiesOf(song, await source.transcodingFor([song]))
      // If the quality does not exist, the original file is used, and the response says so.
      const given = offered.find(({ key }) => key === quality) ?? offered[0]!
      const { limit, format = '' } = given
      return {
        url: source.audio(id, limit === undefined ? {} : { limit: String(limit), format }, format),
        quality: given.key,
        format,
        bitrate: given.bitrate ?? null,
        size: given.size
      }
    },

    async getTrackLyrics (id): Promise<TrackLyrics> {
      const structured = await structuredLyrics(source, id)
      if (structured?.lyrics) return structured
      const { artist, title } = await source.song(id)
      const plain = await unlessGone(source.tryTo('getLyrics', { artist: textOf(artist), title: textOf(title) }))
      return { lyrics: textOf(objectOf(plain?.lyrics).value) }
    }
  } satisfies SourceAdapter
}
