import type { TrackLyrics } from '../../../client/index.ts'
import { parseLrc, timedWords, withoutWordTimes } from '../../../text/parse-lrc.ts'

interface Word {
  /** Seconds from the beginning of the track. */
  readonly time: number
  readonly text: string
}

export interface Line {
  /** Seconds; `undefined` where the lyrics have no times. */
  readonly time: number | undefined
  readonly text: string
  /** Empty without times for every word. */
  readonly words: readonly Word[]
  readonly translation: string
}

/** Characters of lyrics that are read. */
const longestText = 500_000

/** Answers of foreign sources are not proven to keep the contract. */
const read = (lyrics: unknown) => parseLrc(typeof lyrics === 'string' ? lyrics.slice(0, longestText) : '')

const wordsOf = (line: string, offset: number): Word[] =>
  timedWords(line, offset).map(({ start, value }) => ({ time: start / 1000, text: value }))
    .filter(({ text }) => text !== '')

/** Milliseconds by which the time of a translated line may differ from that of its original. */
const tolerance = 300

/**
 * What is shown of lyrics: lines with times, words and translation where the source has them (LRC, with word times as
 * `<mm:ss.xx>`).
 */
export function parseLyrics ({ lyrics, wordLyrics, translatedLyrics }: TrackLyrics): Line[] {
  const timed = read(wordLyrics)
  const { synced, offset, lines } = timed.synced ? timed : read(lyrics)
  const translated = read(translatedLyrics)
  const translations = synced && !translated.synced ? [] : translated.lines
  // Both are in the order of their times, so no translation before this one belongs to a later line.
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
