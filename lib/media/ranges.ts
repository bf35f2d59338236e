/** The requested bytes: from `start` to `end` (inclusive; absent = the last one), or the last `suffix` bytes. */
export type ByteRange = { start: number, end?: number | undefined } | { suffix: number }

/** The sent bytes, both ends inclusive, and the length of the complete file. `total` is absent if unknown. */
export interface ContentRange { start: number, end: number, total?: number | undefined }

/** Numbers of up to 15 digits are exact, and no media file is longer. */
const number = '\\d{1,15}'
const oneRange = new RegExp(`^bytes=(?:(${number})-(${number})?|-(${number}))$`, 'i')
const contentRange = new RegExp(`^bytes (${number})-(${number})/(?:(${number})|\\*)$`, 'i')
const unsatisfied = new RegExp(`^bytes \\*/(${number})$`, 'i')

/**
 * Reads a `Range` header with one range. `undefined` for several ranges, other units and invalid values, which are
 * ignored.
 */
export function readRange (header: string | undefined): ByteRange | undefined {
  const [, start, end, suffix] = oneRange.exec(header ?? '') ?? []
  if (suffix !== undefined) return { suffix: Number(suffix) }
  if (start === undefined || (end !== undefined && Number(end) < Number(start))) return undefined
  return { start: Number(start), end: end === undefined ? undefined : Number(end) }
}

export const writeRange = (range: ByteRange): string =>
  'suffix' in range ? `bytes=-${range.suffix}` : `bytes=${range.start}-${range.end ?? ''}`

/** Reads the `Content-Range` header of a 206. `undefined` if it is invalid. */
export function readContentRange (header: string | undefined): ContentRange | undefined {
  const match = contentRange.exec(header ?? '')
  if (match === null) return undefined
  const [start, end] = [Number(match[1]), Number(match[2])]
  const total = match[3] === undefined ? undefined : Number(match[3])
  return start <= end && end < (total ?? Infinity) ? { start, end, total } : undefined
}

export const writeContentRange = ({ start, end, total }: ContentRange): string =>
  `bytes ${start}-${end}/${total ?? '*'}`

/** Reads the length of the complete file from the `Content-Range` header of a 416. */
export function readUnsatisfied (header: string | undefined): number | undefined {
  const total = unsatisfied.exec(header ?? '')?.[1]
  return total === undefined ? undefined : Number(total)
}

/** Returns the range of the next request: at most `chunk` bytes. */
export const nextRange = (start: number, end: number | undefined, chunk: number) =>
  ({ start, end: chunk === Infinity ? end : Math.min(end ?? Infinity, start + chunk - 1) })

/** Returns whether the sent range is the requested one, or a beginning of it. */
export const fits = ({ start, end, total }: ContentRange, asked: ByteRange): boolean => 'suffix' in asked
  ? total === undefined || start === Math.max(0, total - asked.suffix)
  : start === asked.start && end <= (asked.end ?? Infinity)

/** Returns the position of the last byte that is due: an upstream may send less than requested. */
export function lastByte (wanted: ByteRange | undefined, { end, total }: ContentRange): number {
  if (total === undefined) return end
  return wanted === undefined || 'suffix' in wanted ? total - 1 : Math.min(wanted.end ?? Infinity, total - 1)
}
