import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { Readable } from 'node:stream'
import { limitShare } from '../limit-shares.ts'
import type { OpenFile } from '../open-regular-file.ts'
import { parseRange, type Range } from './parse-range.ts'

/** Bytes that are read at a time. */
const chunk = 64 * 1024

/**
 * Answers with an open file, or with the part of it that the request asks for, and closes it. A library that serves
 * paths would open the file anew, which may be another one by then.
 *
 * @param signal ends the wait for a share
 * @param sent is told how many bytes go out
 */
export async function sendFile (
  request: FastifyRequest, reply: FastifyReply, file: OpenFile, signal: AbortSignal, sent: (bytes: number) => void
): Promise<FastifyReply> {
  const { stats } = file
  const { size, mtimeMs } = stats
  const etag = `"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`
  const lastModified = stats.mtime.toUTCString()
  reply.headers({ 'accept-ranges': 'bytes', etag, 'last-modified': lastModified })

  const { headers, method } = request
  const ifRange = headers['if-range']
  const isSame = ifRange === undefined || ifRange === etag || ifRange === lastModified
  const range = isSame ? parseRange(headers.range, size) : undefined
  if (isRefused(headers, etag, stats.mtime)) reply.code(412)
  else if (fresh(headers, { etag, 'last-modified': lastModified })) reply.code(304)
  else if (range === 'unsatisfiable') reply.code(416).header('content-range', `bytes */${size}`)
  else {
    const { start, end } = range ?? { start: 0, end: size }
    reply.header('content-length', end - start)
    if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`)
    if (method !== 'HEAD' && end > start) {
      const bytes = readFile(file, { start, end }, signal, sent)
      const stream = Readable.from(bytes, { objectMode: false, highWaterMark: chunk })
      return reply.send(stream.once('close', () => closeFile(file)))
    }
  }
  await closeFile(file)
  return reply.send()
}

/** Closes a file that is open. */
export const closeFile = ({ handle, path }: OpenFile) => limitShare(path, () => handle.close())

/**
 * The bytes of a part of a file.
 *
 * @throws for a file that became shorter: the client would wait for the rest, so the connection has to end
 */
export async function * readFile (
  { handle, path }: OpenFile, { start, end }: Range, signal: AbortSignal, sent: (bytes: number) => void
): AsyncGenerator<Buffer> {
  for (let position = start; position < end;) {
    const length = Math.min(chunk, end - position)
    const readChunk = () => handle.read(Buffer.allocUnsafe(length), 0, length, position)
    const { buffer, bytesRead } = await limitShare(path, readChunk, { signal })
    if (bytesRead === 0) throw new Error('The file became shorter while it was sent')
    sent(bytesRead)
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** Whether the request is for another version of the file (RFC 9110, Preconditions). */
function isRefused (headers: FastifyRequest['headers'], etag: string, modified: Date): boolean {
  const match = headers['if-match']
  if (match !== undefined) return match !== '*' && !match.split(',').some(tag => tag.trim() === etag)
  return Math.floor(modified.getTime() / 1000) * 1000 > Date.parse(headers['if-unmodified-since'] ?? '')
}
