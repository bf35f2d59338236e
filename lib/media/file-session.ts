import type { FastifyReply } from 'fastify'
import { extname } from 'node:path'
import { onResponseClose } from '../async/on-response-close.ts'
import { NotFoundError } from '../contract/errors.ts'
import { mediaTypeOf } from '../urls/media-type-of.ts'
import type { FileCall, FileKind } from './file-kind.ts'
import { openFile, type OpenFile } from './open-file.ts'
import type { Media, Wanted } from './open-media.ts'
import { writeContentRange, type ByteRange } from './ranges.ts'

/** Bytes that are read at a time. */
const chunk = 64 * 1024

/** The file that one request of a client is for. */
export class FileSession {
  /** Bytes that were read for the client. */
  bytes = 0
  /** How often the file was asked for. */
  resolutions = 0
  readonly location = undefined
  #file: OpenFile | undefined
  #isOver = false

  /** @param reply at whose end the file is closed, whatever became of it */
  constructor ({ raw }: FastifyReply) {
    onResponseClose(raw, () => {
      this.#isOver = true
      this.#file?.handle.close().catch(() => {})
      this.#file = undefined
    })
  }

  /**
   * @throws NotFoundError; what `file` throws; what the system says of a file that it does not let us open; the reason
   * of the signal
   */
  async open (
    kind: FileKind, params: Record<string, string>, wanted: Wanted, { signal, log }: FileCall
  ): Promise<Media> {
    this.resolutions++
    const path = await kind.file({ ...params }, { signal, log })
    if (path !== undefined && path !== null && typeof path !== 'string') {
      throw new TypeError('file must give the path of a file, undefined or null')
    }
    const file = path ? await openFile(kind.root, path) : undefined
    if (file === undefined) throw new NotFoundError('There is no such file')
    if (this.#isOver) {
      await file.handle.close()
      throw signal.reason
    }
    this.#file = file
    return this.#answer(file, wanted, mediaTypeOf(extname(path!)))
  }

  #answer ({ stats: { size, mtime } }: OpenFile, wanted: Wanted, type: string | undefined): Media {
    const etag = `"${size.toString(16)}-${mtime.getTime().toString(16)}"`
    const lastModified = mtime.toUTCString()
    const headers = { 'accept-ranges': 'bytes', etag, 'last-modified': lastModified }
    if (isFresh(wanted.conditions, etag, mtime)) return { status: 304, headers, type }
    const ifRange = wanted.conditions['if-range']
    const isSame = ifRange === undefined || ifRange === etag || ifRange === lastModified
    const range = isSame && wanted.range ? partOf(wanted.range, size) : { start: 0, end: size - 1 }
    if (range === undefined) return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, type }
    const { start, end } = range
    const isPart = isSame && wanted.range !== undefined
    return {
      status: isPart ? 206 : 200,
      headers: {
        ...headers,
        'content-length': String(end - start + 1),
        ...isPart && { 'content-range': writeContentRange({ start, end, total: size }) }
      },
      type,
      ...!wanted.head && { body: this.#read(start, end) }
    }
  }

  /** @throws for a file that became shorter: the client would wait for the rest, so the connection has to end */
  async * #read (start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position <= end && this.#file !== undefined;) {
      const length = Math.min(chunk, end + 1 - position)
      const { buffer, bytesRead } = await this.#file.handle.read(Buffer.allocUnsafe(length), 0, length, position)
      if (bytesRead === 0) throw new Error('The file became shorter while it was sent')
      this.bytes += bytesRead
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  }
}

/** The part that is asked for; `undefined` if none of it is there. */
function partOf (range: ByteRange, size: number): { start: number, end: number } | undefined {
  const start = 'suffix' in range ? Math.max(0, size - range.suffix) : range.start
  const end = 'suffix' in range ? size - 1 : Math.min(range.end ?? Infinity, size - 1)
  return start <= end ? { start, end } : undefined
}

/** Whether the client has this version of the file (RFC 9110, Preconditions). HTTP's times have no milliseconds. */
function isFresh (conditions: Record<string, string>, etag: string, modified: Date): boolean {
  const match = conditions['if-none-match']
  if (match !== undefined) return match.split(',').some(tag => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
  return Math.floor(modified.getTime() / 1000) * 1000 <= Date.parse(conditions['if-modified-since'] ?? '')
}
