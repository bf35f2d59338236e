/** A line or a word of a line. `start` is in milliseconds. */
export interface Line { start: number, value: string }

const tag = /\s*\[(?:(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?|([a-z#]+):([^\]]*))\]/iy

/** The maximum length of a line, and the maximum number of lines. A line with several times counts several times. */
const longestLine = 1000
const mostLines = 5000

/** Returns the milliseconds of the parts of a time. `.5`, `.50` and `.500` are equal. */
const timeOfTag = (minutes: string, seconds: string, fraction = ''): number =>
  Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(fraction.padEnd(3, '0'))

/** The lyrics of a track by line. */
export interface Lyrics {
  /** If `true`, the lines have times. Otherwise `start` is 0. */
  readonly synced: boolean
  /** The offset in milliseconds that was subtracted from the times. */
  readonly offset: number
  readonly lines: readonly Line[]
}

/**
 * Parses LRC, or text without times. A line with several times becomes several lines. `offset` is applied (positive =
 * sooner). Other tags are dropped.
 */
export function parseLrc (text: string): Lyrics {
  const timed: Line[] = []
  const plain: Line[] = []
  let offset = 0
  for (const line of text.split(/\r\n|\r|\n/)) {
    const starts: number[] = []
    let isTag = false
    let end = tag.lastIndex = 0
    for (let found = tag.exec(line); found !== null; found = tag.exec(line)) {
      const [, minutes, seconds, fraction, name, value] = found
      if (name === undefined) starts.push(timeOfTag(minutes!, seconds!, fraction))
      else if (name.toLowerCase() === 'offset' && Number.isFinite(Number(value))) offset = Number(value)
      isTag = true
      end = tag.lastIndex
    }
    const rest = line.slice(end).trim().slice(0, longestLine)
    for (const start of starts) timed.push({ start, value: rest })
    if (!isTag || (starts.length === 0 && rest !== '')) plain.push({ start: 0, value: rest })
    if (timed.length + plain.length >= mostLines) break
  }
  if (timed.length > 0) {
    const lines = timed.slice(0, mostLines).map(({ start, value }) =>
      ({ start: Math.max(0, Math.round(start - offset)), value }))
    return { synced: true, offset, lines: lines.sort((a, b) => a.start - b.start) }
  }
  const isEmpty = plain.every(({ value }) => value === '')
  return { synced: false, offset, lines: isEmpty ? [] : plain }
}

const wordTime = /<(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?>/g

export const withoutWordTimes = (text: string): string => text.replace(wordTime, '')

/**
 * Parses the words of a line of enhanced LRC, which has a time before each word: `<00:01.00>Some <00:01.50>words`.
 * Words include the space after them. Text before the first time belongs to the first word.
 *
 * @param offset the milliseconds to subtract from the times
 */
export function timedWords (line: string, offset: number): Line[] {
  const times = [...line.matchAll(wordTime)]
  return times.map(({ 0: time, 1: minutes, 2: seconds, 3: fraction, index }, at) => ({
    start: Math.max(0, timeOfTag(minutes!, seconds!, fraction) - offset),
    value: (at === 0 ? line.slice(0, index) : '') + line.slice(index + time.length, times[at + 1]?.index)
  }))
}
