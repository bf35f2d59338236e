import { parseLrc, timeOfTag, type Line } from './parse-lrc.ts'
import type { JsonObject } from './write-xml.ts'

const wordTime = /<(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?>/g

/**
 * The lines of enhanced LRC with a time for each word (`[00:01.00]<00:01.00>Some <00:01.50>words`), as OpenSubsonic has
 * them: words by their bytes in the line. Lines without times of words are left out.
 *
 * @param shown the lines that the words belong to, which may be more: they are found by their times
 */
export function parseWords (text: string, shown: readonly Line[] = []): JsonObject[] {
  const { lines, offset } = parseLrc(text)
  const places = new Map(shown.map(({ start }, index) => [start, index]))
  return lines.flatMap(({ start, value }, index) => {
    const times = [...value.matchAll(wordTime)]
    if (times.length === 0) return []
    const words = times.map((time, at) => ({
      start: Math.max(0, timeOfTag(time[1]!, time[2]!, time[3]) - offset),
      text: value.slice(time.index + time[0].length, times[at + 1]?.index)
    }))
    const line = words.map(({ text }) => text).join('').trimEnd()
    const cue: JsonObject[] = []
    let byte = 0
    for (const { start, text } of words) {
      const length = Buffer.byteLength(text)
      const shown = Buffer.byteLength(text.trimEnd())
      // The time at the end of a line has no word.
      if (shown > 0) cue.push({ start, value: text.trimEnd(), byteStart: byte, byteEnd: byte + shown - 1 })
      byte += length
    }
    return cue.length === 0 ? [] : [{ index: places.get(start) ?? index, start, value: line, cue }]
  })
}
