import type { Track, TrackLyrics } from '../../../schemas/index.ts'
import { NameIndex } from '../../text/name-index.ts'
import { titleBy, titlesOf } from '../account/item-index.ts'
import type { Call, Method } from '../call.ts'
import { readIdOf } from '../ids.ts'
import { parseLrc, withoutWordTimes } from '../../text/parse-lrc.ts'
import { parseWords } from '../parse-words.ts'
import type { JsonObject } from '../write-xml.ts'
import { findTrack, tracksById } from './find-items.ts'

const getLyricsBySongId: Method = async call => {
  const id = readIdOf('track', call.parameters.required('id'))
  const lyrics = await call.session.read('getTrackLyrics', id)
  if (lyrics === undefined) await findTrack(call, id)
  const track = (await tracksById(call, [id])).get(id)
  const isEnhanced = call.parameters.flag('enhanced') === true
  return { lyricsList: { structuredLyrics: lyrics === undefined ? [] : structured(lyrics, track, isEnhanced) } }
}

/** Returns the lyrics line by line, the main text first. */
function structured (
  { lyrics, wordLyrics, translatedLyrics }: TrackLyrics, track: Track | undefined, isEnhanced: boolean
): JsonObject[] {
  const entry = (text: string, kind: 'main' | 'translation'): JsonObject[] => {
    const { synced, lines } = parseLrc(text)
    if (lines.length === 0) return []
    const cueLine = isEnhanced && kind === 'main' && wordLyrics ? parseWords(wordLyrics, lines) : []
    return [{
      displayArtist: track?.artists.map(({ name }) => name).join(', ') ?? '',
      displayTitle: track?.title ?? '',
      lang: /^\[la: *([\w-]+)/im.exec(text)?.[1] ?? 'und',
      synced,
      ...(isEnhanced && { kind }),
      line: lines.map(({ start, value }) => synced ? { start, value } : { value }),
      ...(cueLine.length > 0 && { cueLine })
    }]
  }
  // Some sources have only lyrics with word times.
  const main = entry(lyrics || withoutWordTimes(wordLyrics ?? ''), 'main')
  return isEnhanced && translatedLyrics ? [...main, ...entry(translatedLyrics, 'translation')] : main
}

/** Handles the older form: by artist and title, without times. */
const getLyrics: Method = async call => {
  const [artist = '', title = ''] = [call.parameters.first('artist'), call.parameters.first('title')]
  const id = await trackIdOf(call, artist, title)
  const found = id === undefined ? undefined : await call.session.find('getTrackLyrics', id)
  const { lines } = parseLrc(found?.lyrics || withoutWordTimes(found?.wordLyrics ?? ''))
  return { lyrics: { artist, title, value: lines.map(({ value }) => value).join('\n') } }
}

async function trackIdOf ({ session }: Call, artist: string, title: string): Promise<string | undefined> {
  if (title === '') return undefined
  const shown = session.account.items.tracksByName
  const known = shown.exact(titleBy(title, artist))
  if (known !== undefined) return known
  const found = await session.read('searchTracks', `${title} ${artist}`.trim(), 0, 20)
  const index = new NameIndex<string>()
  for (const track of found?.items.toReversed() ?? []) {
    for (const name of [titleBy(track.title, ''), ...titlesOf(track)]) index.set(name, track.id)
  }
  return index.get(titleBy(title, artist)) ?? shown.get(titleBy(title, artist))
}

export const lyricsMethods: Readonly<Record<string, Method>> = { getLyricsBySongId, getLyrics }
