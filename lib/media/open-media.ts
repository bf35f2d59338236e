import { discardBody, headerOf, hopeless, type MediaAnswer } from './ask-upstream.ts'
import type { MediaTransfer } from './media-transfer.ts'
import { pullMedia } from './pull-media.ts'
import {
  fits, lastByte, nextRange, readContentRange, readUnsatisfied, writeContentRange, writeRange, type ByteRange
} from './ranges.ts'

/** The client's request. */
export interface Wanted {
  head: boolean
  /** Always `undefined` for HEAD. */
  range: ByteRange | undefined
  /** The conditional headers: `if-range` with a range, `if-none-match` and `if-modified-since` without. */
  conditions: Record<string, string>
}

/** The response to the client. */
export interface Media {
  status: 200 | 206 | 304 | 412 | 416
  /** Content-Length, Content-Range, Accept-Ranges, ETag and Last-Modified, if known. */
  headers: Record<string, string>
  /** The upstream's content type, if it sent one. */
  type: string | undefined
  /** The content, if there is any to send. */
  body?: AsyncGenerator<Buffer>
  /** Releases the connection if the bytes are not read. */
  discard?: () => void
}

interface MediaQuestion {
  transfer: MediaTransfer
  wanted: Wanted
  /** The range that was requested from the upstream. */
  asked: ByteRange | undefined
  chunk: number
}

/** A request for the first byte reveals the length even if the upstream rejects HEAD. */
const firstByte = { start: 0, end: 0 }
const acceptRanges = { 'accept-ranges': 'bytes' }

/**
 * Requests media from the upstream, and continues if a response ends early.
 *
 * @param chunk the maximum bytes per request
 * @throws SourceError before the first byte; errors of `resolve`; the reason of the transfer's signal
 */
export async function openMedia (transfer: MediaTransfer, wanted: Wanted, chunk = Infinity): Promise<Media> {
  const ask = (asked: ByteRange | undefined) =>
    transfer.ask({ ...wanted.conditions, ...(asked && { range: writeRange(asked) }) })
  let { range } = wanted
  if (range !== undefined && 'suffix' in range && range.suffix > chunk) {
    // The end of a bounded range is unknown until the length is known.
    const probe = await ask(firstByte)
    const total = probe.statusCode === 206 ? readContentRange(headerOf(probe, 'content-range'))?.total : undefined
    if (total === undefined) return readAnswer(probe, { transfer, wanted, asked: firstByte, chunk })
    discardBody(probe)
    range = { start: Math.max(0, total - range.suffix), end: total - 1 }
  }
  const asked = wanted.head ? firstByte : firstRange(range, chunk)
  return readAnswer(await ask(asked), { transfer, wanted: { ...wanted, range }, asked, chunk })
}

/** Returns the range of the first request, limited to one chunk. */
function firstRange (range: ByteRange | undefined, chunk: number): ByteRange | undefined {
  if (chunk === Infinity || (range !== undefined && 'suffix' in range)) return range
  return nextRange(range?.start ?? 0, range?.end, chunk)
}

/** @throws SourceError if the response does not fit the request */
function readAnswer (answer: MediaAnswer, question: MediaQuestion): Media {
  let media: Media | undefined
  try {
    media = mediaOf(answer, question)
    return { ...media, discard: () => discardBody(answer) }
  } finally {
    if (media?.body === undefined) discardBody(answer)
  }
}

function mediaOf (answer: MediaAnswer, { transfer, wanted, asked, chunk }: MediaQuestion): Media {
  const type = headerOf(answer, 'content-type')
  const etag = headerOf(answer, 'etag')
  const common = { ...ifKnown('etag', etag), ...ifKnown('last-modified', headerOf(answer, 'last-modified')) }
  const encoding = headerOf(answer, 'content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw hopeless('The upstream sent compressed bytes')

  if (answer.statusCode === 304) {
    const conditional = wanted.range === undefined && Object.keys(wanted.conditions).length > 0
    if (!conditional) throw hopeless('The upstream answered 304 without a condition')
    return { status: 304, headers: common, type }
  }
  if (answer.statusCode === 416) {
    const total = readUnsatisfied(headerOf(answer, 'content-range'))
    const contentRange = ifKnown('content-range', total === undefined ? undefined : `bytes */${total}`)
    if (wanted.range !== undefined) return { status: 416, headers: { ...acceptRanges, ...contentRange }, type }
    // The proxy added the range itself: an empty file has no first byte.
    if (asked === undefined || total !== 0) throw hopeless('The upstream answered 416 without a reason')
    // Type and ETag of a 416 belong to the error.
    return { status: 200, headers: { ...acceptRanges, 'content-length': '0' }, type: undefined }
  }
  if (answer.statusCode === 200) {
    const length = headerOf(answer, 'content-length')
    // An upstream that answers an unconditional range request with the complete file does not support ranges.
    const mayHaveRanges = asked === undefined || wanted.conditions['if-range'] !== undefined
    const headers = { ...common, ...(mayHaveRanges && acceptRanges), ...ifKnown('content-length', length) }
    if (wanted.head) return { status: 200, headers, type }
    const total = length === undefined ? undefined : Number(length)
    const end = total === undefined ? undefined : total - 1
    return { status: 200, headers, type, body: pullMedia(transfer, answer, { start: 0, end, total, etag }, end, chunk) }
  }

  const got = readContentRange(headerOf(answer, 'content-range'))
  if (got === undefined || asked === undefined || !fits(got, asked)) throw hopeless('The upstream sent another range')
  const headers = { ...common, ...acceptRanges, ...ifKnown('content-length', got.total?.toString()) }
  if (wanted.head) return { status: 200, headers, type }
  if (got.total === undefined && chunk !== Infinity) {
    throw hopeless('The upstream does not tell the length of the whole')
  }
  const end = lastByte(wanted.range, got)
  const body = pullMedia(transfer, answer, { ...got, end, etag }, got.end, chunk)
  const sized = { ...headers, 'content-length': String(end - got.start + 1) }
  if (wanted.range === undefined) return { status: 200, headers: sized, type, body }
  return { status: 206, headers: { ...sized, 'content-range': writeContentRange({ ...got, end }) }, type, body }
}

/** Returns an object with the header, or an empty object if it has no value. */
const ifKnown = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: value }
