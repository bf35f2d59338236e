import type { TrackLyrics } from '../../../client/index.ts'

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

const lineTime = /\s*\[(\d+):(\d{1,2}(?:[.:]\d+)?)\]/y
const wordTime = /<(\d+):(\d{1,2}(?:[.:]\d+)?)>/
const offsetTag = /\[offset: ?([+-]?\d+) ?\]/i
/** `[ti:...]`, `[by:...]`. */
const infoTag = /^\[[a-z#]+:[^\]]*\]$/i

/** Characters of lyrics that are read, and of a line. */
const longestText = 500_000
const longestLine = 1000
/** A line with many times is many. */
const mostLines = 5000

const seconds = (minutes: string, rest: string) => Number(minutes) * 60 + Number(rest.replace(':', '.'))

interface Timed {
  readonly time: number | undefined
  readonly text: string
  /** Seconds that times have to be taken back. */
  readonly offset: number
}

/** The lines of an LRC text, in the order of their times; one with several times stands there several times. */
function readLines (lyrics: unknown): Timed[] {
  // Answers of foreign sources are not proven to keep the contract.
  const text = typeof lyrics === 'string' ? lyrics : ''
  // A positive offset shows the lines sooner.
  const offset = Number(offsetTag.exec(text)?.[1] ?? 0) / 1000
  const lines: Timed[] = []
  for (const line of text.slice(0, longestText).split(/\r\n?|\n/)) {
    const times: number[] = []
    let end = lineTime.lastIndex = 0
    for (let match = lineTime.exec(line); match !== null; match = lineTime.exec(line)) {
      times.push(Math.max(0, seconds(match[1]!, match[2]!) - offset))
      end = lineTime.lastIndex
    }
    if (times.length === 0 && infoTag.test(line.trim())) continue
    const words = line.slice(end).trim().slice(0, longestLine)
    if (times.length === 0) lines.push({ time: undefined, text: words, offset })
    for (const time of times) lines.push({ time, text: words, offset })
    if (lines.length >= mostLines) break
  }
  const shown = lines.slice(0, mostLines)
  if (!shown.some(({ time }) => time !== undefined)) return shown
  return shown.filter(({ time }) => time !== undefined).sort((a, b) => a.time! - b.time!)
}

/** @param text a line with `<mm:ss.xx>` before its words, and maybe one after the last */
function readWords ({ text, offset }: Timed): Word[] {
  const [before = '', ...parts] = text.split(wordTime)
  const words: Word[] = []
  for (let at = 0; at < parts.length; at += 3) {
    words.push({ time: Math.max(0, seconds(parts[at]!, parts[at + 1]!) - offset), text: parts[at + 2]! })
  }
  if (before.trim() !== '' && words[0] !== undefined) words[0] = { ...words[0], text: before + words[0].text }
  return words.filter(({ text }) => text !== '')
}

const without = (text: string) => text.replace(new RegExp(wordTime, 'g'), '')

/** Seconds by which the time of a translated line may differ from that of its original. */
const tolerance = 0.3

/**
 * What is shown of lyrics: lines with times, words and translation where the source has them (LRC, with word times as
 * `<mm:ss.xx>`).
 */
export function parseLyrics ({ lyrics, wordLyrics, translatedLyrics }: TrackLyrics): Line[] {
  const timed = readLines(wordLyrics)
  const lines = timed.some(({ time }) => time !== undefined) ? timed : readLines(lyrics)
  const translations = readLines(translatedLyrics)
  const isTimed = lines.some(({ time }) => time !== undefined)
  // Both are in the order of their times, so no translation before this one belongs to a later line.
  let next = 0
  function translationAt (time: number): string {
    while (next < translations.length && translations[next]!.time! - time < -tolerance) next++
    // Lines may be closer to each other than the tolerance.
    const away = (index: number) => Math.abs((translations[index]?.time ?? Infinity) - time)
    while (away(next + 1) < away(next)) next++
    return away(next) <= tolerance ? translations[next]!.text : ''
  }
  return lines
    .map((line, index) => ({
      time: line.time,
      text: without(line.text).trim(),
      words: readWords(line),
      translation: isTimed ? translationAt(line.time!) : translations[index]?.text ?? ''
    }))
    .filter(({ time, text }, index, all) => text !== '' || (time === undefined && index > 0 && index < all.length - 1))
}

/** Index of the line that is sung at a time; -1 before the first. */
export function lineAt (lines: readonly Line[], time: number): number {
  return lines.findLastIndex(line => line.time !== undefined && line.time <= time + 0.05)
}
