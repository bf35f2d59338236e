import type { FastifyReply } from 'fastify'
import type { Stats } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { isResponseClosed, onResponseClose } from '../async/on-response-close.ts'
import type { Media } from './open-media.ts'
import { readRange, writeContentRange, type ByteRange } from './ranges.ts'

/**
 * The properties of an open file that are used. Calls of the handle may wait, for example for a custom limit of a
 * network share.
 */
export interface ReadableFile {
  readonly handle: {
    read (buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
    close (): Promise<void>
  }
  readonly stats: Pick<Stats, 'size'> & Partial<Pick<Stats, 'mtime'>>
  /** Default: built from size and modification time. */
  readonly etag?: string | undefined
}

/** The number of bytes per read. */
const chunk = 64 * 1024

/**
 * Responds with an open file: GET and HEAD, one range, all conditions of RFC 9110, using its ETag. It closes the file
 * in every case. Set the type and `Cache-Control` before. Plugins that serve paths would open the file again, which may
 * be another file by then.
 *
 * @param onBytes called with the number of bytes read for the client, for each 64 KiB
 */
export function sendFile (reply: FastifyReply, file: ReadableFile, onBytes?: (bytes: number) => void): FastifyReply {
  const { raw, request } = reply
  const close = () => { file.handle.close().catch(() => {}) }
  const { status, headers, part } = answerFile(file, request.headers, readRange(request.headers.range))
  if (isResponseClosed(raw) || part === undefined) {
    close()
    return isResponseClosed(raw) ? reply.hijack() : reply.code(status).headers(headers).send()
  }
  // An empty stream, since Fastify's automatic HEAD routes set the length of an empty response to 0.
  const bytes = request.method === 'HEAD' ? [] : readPart(file, part.start, part.end, onBytes)
  const stream = Readable.from(bytes, { objectMode: false, highWaterMark: chunk }).once('close', close)
  onResponseClose(raw, () => stream.destroy())
  return reply.code(status).headers(headers).send(stream)
}

/** The status and headers of a response, and the bytes that it sends: from `start` to `end`, inclusive. */
export interface FileAnswer extends Pick<Media, 'status' | 'headers'> {
  readonly part?: { readonly start: number, readonly end: number }
}

/** Evaluates the conditions of a request for a file (RFC 9110, Precedence of Preconditions). */
export function answerFile (
  { stats: { size, mtime }, etag = etagOf(size, mtime) }: Pick<ReadableFile, 'stats' | 'etag'>,
  conditions: IncomingHttpHeaders, range: ByteRange | undefined
): FileAnswer {
  const lastModified = mtime?.toUTCString()
  const headers = { 'accept-ranges': 'bytes', etag, ...lastModified !== undefined && { 'last-modified': lastModified } }
  const status = statusOf(conditions, etag, mtime)
  if (status !== undefined) return { status, headers }
  const ifRange = conditions['if-range']
  const isSame = ifRange === undefined || ifRange === etag || ifRange === lastModified
  if (!isSame || range === undefined) {
    return { status: 200, headers: { ...headers, 'content-length': String(size) }, part: { start: 0, end: size - 1 } }
  }
  const part = partOf(range, size)
  if (part === undefined) return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } }
  const contentRange = writeContentRange({ ...part, total: size })
  const length = String(part.end - part.start + 1)
  return { status: 206, headers: { ...headers, 'content-length': length, 'content-range': contentRange }, part }
}

/**
 * Yields the bytes of an open file from `start` to `end`, inclusive.
 *
 * @param onBytes called with the number of bytes read, for each 64 KiB
 * @param signal stops the reading
 * @throws if the file became shorter: the client would wait for the rest, so the connection has to end
 */
export async function * readPart (
  { handle }: Pick<ReadableFile, 'handle'>, start: number, end: number, onBytes?: (bytes: number) => void,
  signal?: AbortSignal
): AsyncGenerator<Buffer> {
  for (let position = start; position <= end && !signal?.aborted;) {
    const buffer = Buffer.allocUnsafe(Math.min(chunk, end + 1 - position))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) throw new Error('The file became shorter while it was sent')
    onBytes?.(bytesRead)
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** Returns the requested part; `undefined` if none of it exists. */
function partOf (range: ByteRange, size: number): FileAnswer['part'] {
  const start = 'suffix' in range ? Math.max(0, size - range.suffix) : range.start
  const end = 'suffix' in range ? size - 1 : Math.min(range.end ?? Infinity, size - 1)
  return start <= end ? { start, end } : undefined
}

/** Rounds a time down to a second, since HTTP dates have no milliseconds. */
const secondOf = (time: Date) => Math.floor(time.getTime() / 1000) * 1000

const etagOf = (size: number, modified = new Date(0)) =>
  `"${size.toString(16)}-${modified.getTime().toString(16)}"`

/** Returns the status of a response without a body, if the conditions of the request lead to one. */
export function statusOf (conditions: IncomingHttpHeaders, etag: string, modified?: Date): 304 | 412 | undefined {
  if (isAnother(conditions, etag, modified)) return 412
  return isKnown(conditions, etag, modified) ? 304 : undefined
}

/** Returns whether the request is for another version of the file. */
function isAnother (conditions: IncomingHttpHeaders, etag: string, modified: Date | undefined): boolean {
  const match = conditions['if-match']
  if (match !== undefined) return !match.split(',').some(tag => ['*', etag].includes(tag.trim()))
  return modified !== undefined && secondOf(modified) > Date.parse(conditions['if-unmodified-since'] ?? '')
}

/** Returns whether the client has this version of the file. */
function isKnown (conditions: IncomingHttpHeaders, etag: string, modified: Date | undefined): boolean {
  const match = conditions['if-none-match']
  if (match !== undefined) return match.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
  return modified !== undefined && secondOf(modified) <= Date.parse(conditions['if-modified-since'] ?? '')
}
