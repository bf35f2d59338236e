import type { TrackLyrics } from '../../../client/index.ts'
import { parseLrc, timedWords, withoutWordTimes } from '../../../text/parse-lrc.ts'

interface Word {
  /** Seconds from the beginning of the track. */
  readonly time: number
  readonly text: string
}

export interface Line {
  /** Seconds; `undefined` if the lyrics have no times. */
  readonly time: number | undefined
  readonly text: string
  /** Empty without word times. */
  readonly words: readonly Word[]
  readonly translation: string
}

/** The maximum length of lyrics in characters. */
const longestText = 500_000

/** Responses of other sources may violate the contract. */
const read = (lyrics: unknown) => parseLrc(typeof lyrics === 'string' ? lyrics.slice(0, longestText) : '')

const wordsOf = (line: string, offset: number): Word[] =>
  timedWords(line, offset).map(({ start, value }) => ({ time: start / 1000, text: value }))
    .filter(({ text }) => text !== '')

/** The maximum time difference in milliseconds between a translated line and its original. */
const tolerance = 300

/**
 * Parses lyrics into lines with times, words and translation, as far as the source has them (LRC, with word times as
 * `<mm:ss.xx>`).
 */
export function parseLyrics ({ lyrics, wordLyrics, translatedLyrics }: TrackLyrics): Line[] {
  const timed = read(wordLyrics)
  const { synced, offset, lines } = timed.synced ? timed : read(lyrics)
  const translated = read(translatedLyrics)
  const translations = synced && !translated.synced ? [] : translated.lines
  // Both are in the order of their times, so no earlier translation belongs to a later line.
  let next = 0
  function translationAt (start: number): string {
    while (next < translations.length && translations[next]!.start - start < -tolerance) next++
    // Lines may be closer to each other than the tolerance.
    const away = (index: number) => Math.abs((translations[index]?.start ?? Infinity) - start)
    while (away(next + 1) < away(next)) next++
    return away(next) <= tolerance ? translations[next]!.value : ''
  }
  return lines
    .map(({ start, value }, index) => ({
      time: synced ? start / 1000 : undefined,
      text: withoutWordTimes(value).trim(),
      words: wordsOf(value, offset),
      translation: synced ? translationAt(start) : translations[index]?.value ?? ''
    }))
    .filter(({ time, text }, index, all) => text !== '' || (time === undefined && index > 0 && index < all.length - 1))
}
