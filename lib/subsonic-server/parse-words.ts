import { parseLrc, timedWords, type Line } from '../text/parse-lrc.ts'
import type { JsonObject } from './write-xml.ts'

/**
 * The lines of enhanced LRC with a time for each word, as OpenSubsonic has them: words by their bytes in the line.
 * Lines without times of words are left out.
 *
 * @param shown the lines that the words belong to, which may be more: they are found by their times
 */
export function parseWords (text: string, shown: readonly Line[] = []): JsonObject[] {
  const { lines, offset } = parseLrc(text)
  const places = new Map(shown.map(({ start }, index) => [start, index]))
  return lines.flatMap(({ start, value }, index) => {
    const words = timedWords(value, offset)
    const line = words.map(({ value }) => value).join('').trimEnd()
    const cue: JsonObject[] = []
    let byte = 0
    for (const { start, value } of words) {
      const shown = value.trimEnd()
      // The time at the end of a line has no word.
      if (shown !== '') cue.push({ start, value: shown, byteStart: byte, byteEnd: byte + Buffer.byteLength(shown) - 1 })
      byte += Buffer.byteLength(value)
    }
    return cue.length === 0 ? [] : [{ index: places.get(start) ?? index, start, value: line, cue }]
  })
}
