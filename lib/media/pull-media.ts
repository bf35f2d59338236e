import { connectionFailure, discardBody, headerOf, hopeless, type MediaAnswer } from './ask-upstream.ts'
import type { MediaTransfer } from './media-transfer.ts'
import { fits, nextRange, readContentRange, writeRange, type ByteRange, type ContentRange } from './ranges.ts'

/** The range of bytes that is sent. The upstream's file must not change meanwhile. */
export interface MediaRange {
  start: number
  /** The last byte. `undefined` if the length is unknown. */
  end: number | undefined
  /** The length of the complete file. */
  total?: number | undefined
  etag: string | undefined
}

/**
 * Yields the bytes of a part as the client reads them. An interrupted response is continued with another request.
 *
 * @param answer the first response
 * @param due its last byte
 * @param chunk the maximum bytes per request
 * @throws SourceError if it cannot be continued; errors of `resolve`; the reason of the transfer's signal
 */
export async function * pullMedia (
  transfer: MediaTransfer, answer: MediaAnswer, part: MediaRange, due: number | undefined, chunk: number
): AsyncGenerator<Buffer> {
  let next = part.start
  let { end } = part
  while (true) {
    try {
      for await (const bytes of answer.body as AsyncIterable<Buffer>) {
        if (next + bytes.length - 1 > (due ?? Infinity)) throw hopeless('The upstream sent more bytes than it said')
        next += bytes.length
        transfer.received(bytes.length)
        yield bytes
      }
      if (due === undefined || next > end!) return
      if (next <= due) throw new Error('The upstream sent fewer bytes than it said')
    } catch (error) {
      transfer.signal.throwIfAborted()
      transfer.repair(connectionFailure(error as Error))
    }
    const asked = nextRange(next, end, chunk)
    answer = await transfer.ask({ range: writeRange(asked), ...(isStrong(part.etag) && { 'if-range': part.etag }) })
    const got = readContinuation(answer, part, asked)
    due = got.end
    end ??= got.total === undefined ? due : got.total - 1
  }
}

/**
 * @returns the range of a response that continues a part
 * @throws SourceError if the content has changed: the bytes already sent and the next bytes do not belong together
 */
function readContinuation (answer: MediaAnswer, part: MediaRange, asked: ByteRange): ContentRange {
  const got = answer.statusCode === 206 ? readContentRange(headerOf(answer, 'content-range')) : undefined
  const same = isStrong(part.etag) ? headerOf(answer, 'etag') === part.etag : part.total !== undefined
  if (got !== undefined && fits(got, asked) && same && (part.total ?? got.total) === got.total) return got
  discardBody(answer)
  throw hopeless('The upstream does not continue what it began')
}

const isStrong = (etag: string | undefined): etag is string => etag?.startsWith('"') === true
