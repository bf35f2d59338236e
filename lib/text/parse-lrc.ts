/** A line, or a word of one. `start`: milliseconds. */
export interface Line { start: number, value: string }

const tag = /\s*\[(?:(\d{1,3}):(\d{1,2})(?:[.:](\d{1,3}))?|([a-z#]+):([^\]]*))\]/iy

/** Characters of a line, and lines: one with many times is many. */
const longestLine = 1000
const mostLines = 5000

/** Milliseconds of the parts of a time: `.5`, `.50` and `.500` are the same. */
const timeOfTag = (minutes: string, seconds: string, fraction = ''): number =>
  Number(minutes) * 60_000 + Number(seconds) * 1000 + Number(fraction.padEnd(3, '0'))

/** The words of a track by line. */
export interface Lyrics {
  /** Whether the lines have times; without them `start` is 0. */
  readonly synced: boolean
  /** Milliseconds that were taken off the times. */
  readonly offset: number
  readonly lines: readonly Line[]
}

/**
 * Reads LRC, or text without times. Several times before a line are several lines; `offset` is applied (positive =
 * sooner); other tags are dropped.
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
 * The words of a line of enhanced LRC, which has a time before each word: `<00:01.00>Some <00:01.50>words`. They keep
 * the space after them; what stands before the first time belongs to the first word.
 *
 * @param offset milliseconds that are taken off the times
 */
export function timedWords (line: string, offset: number): Line[] {
  const times = [...line.matchAll(wordTime)]
  return times.map(({ 0: time, 1: minutes, 2: seconds, 3: fraction, index }, at) => ({
    start: Math.max(0, timeOfTag(minutes!, seconds!, fraction) - offset),
    value: (at === 0 ? line.slice(0, index) : '') + line.slice(index + time.length, times[at + 1]?.index)
  }))
}
