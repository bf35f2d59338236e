import { parseLrc, timedWords, type Line } from '../text/parse-lrc.ts'
import type { JsonObject } from './write-xml.ts'

/**
 * Parses enhanced LRC with a time for each word into the form of OpenSubsonic: words by their bytes in the line. Lines
 * without word times are left out.
 *
 * @param shown the lines that the words belong to, which may be more. Lines are matched by time
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
      // The time at the end of a line belongs to no word.
      if (shown !== '') cue.push({ start, value: shown, byteStart: byte, byteEnd: byte + Buffer.byteLength(shown) - 1 })
      byte += Buffer.byteLength(value)
    }
    return cue.length === 0 ? [] : [{ index: places.get(start) ?? index, start, value: line, cue }]
  })
}
