import { listOf, numberOf, textOf, type Given } from './tolerate.ts'

/** Formats milliseconds as `mm:ss.xx`. */
function writeTime (milliseconds: number): string {
  const hundredths = Math.round(Math.max(0, milliseconds) / 10)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(hundredths / 6000))}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`
}

/**
 * Returns lines as LRC. Lines without a time are plain.
 *
 * @param offset milliseconds by which the lines are shown earlier
 */
export const writeLrc = (lines: readonly { start: number | undefined, value: string }[], offset = 0): string =>
  lines.map(({ start, value }) => start === undefined ? value : `[${writeTime(start - offset)}]${value}`).join('\n')

/** Returns enhanced LRC of lines whose words have times; `''` if no line has word times. */
export function writeWords (lyrics: Given): string {
  const offset = Number(lyrics.offset) || 0
  return listOf(lyrics.cueLine).flatMap(({ start, cue, value }) => {
    const bytes = Buffer.from(textOf(value))
    const cues = listOf(cue)
    if (cues.length === 0) return []
    const words = cues.map((word, index) => {
      const next = numberOf(cues[index + 1]?.byteStart)
      const from = numberOf(word.byteStart)
      // Includes the space before the next word, if the positions are known.
      const text = from === undefined ? textOf(word.value) : bytes.subarray(from, next).toString()
      return `<${writeTime((numberOf(word.start) ?? 0) - offset)}>${text}`
    })
    return [`[${writeTime((numberOf(start) ?? numberOf(cues[0]!.start) ?? 0) - offset)}]${words.join('')}`]
  }).join('\n')
}
