import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { readUpTo } from '../async/read-up-to.ts'
import { withTimeout } from '../async/with-timeout.ts'
import type { PreparedRequest } from './prepare-request.ts'
import type { UpstreamResponse } from './upstream.ts'

/** A response whose body cannot be used. */
export class UnusableBodyError extends Error {}

/** A response. If `isCut`, its body could not be read and is empty. */
export type ReadAnswer = UpstreamResponse & { isCut?: boolean }

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * The maximum number of bytes, and the time in milliseconds, for reading an unwanted body, so that the connection can
 * be reused and the development log can contain its beginning.
 */
const mostUnwanted = 65_536
const unwantedFor = 300

/** The maximum number of encodings of a body. Each of them costs as much as the body. */
const mostEncodings = 5

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress)
}

/**
 * Sends a request once and reads its response.
 *
 * @param isRead returns whether the body of a response with this status is wanted; otherwise only its beginning is read
 * @param maxBody bytes, after decoding
 * @throws UnusableBodyError; the errors of undici and zlib; the signal's reason. Errors in the body of a response that
 * is not 2xx are ignored, because its status is sufficient.
 */
export async function sendOnce (
  dispatcher: Dispatcher,
  { origin, path, method, headers, body }: PreparedRequest,
  isRead: (status: number) => boolean,
  maxBody: number,
  signal: AbortSignal
): Promise<ReadAnswer> {
  const response = await dispatcher.request({
    origin,
    path,
    method: method as Dispatcher.HttpMethod,
    headers,
    body: body ?? null,
    signal,
    // The signal sets the timeout, because undici's own timers are up to half a second late.
    headersTimeout: 0,
    bodyTimeout: 0
  })
  const answer = { status: response.statusCode, headers: response.headers as UpstreamResponse['headers'] }
  if (!isRead(answer.status)) {
    const read = ({ signal }: AbortController) => {
      signal.addEventListener('abort', () => response.body.destroy())
      return readBody(response, mostUnwanted)
    }
    // The status is available even if the body fails.
    const body = await withTimeout(read, { timeout: unwantedFor, signal }).catch(() => Buffer.alloc(0))
    return { ...answer, body }
  }
  try {
    return { ...answer, body: await readBody(response, maxBody) }
  } catch (error) {
    if (isSuccess(answer.status)) throw error
    return { ...answer, body: Buffer.alloc(0), isCut: true }
  }
}

async function readBody ({ body, headers }: Dispatcher.ResponseData, maxBody: number): Promise<Buffer> {
  const tooLong = () => new UnusableBodyError(`the answer is longer than ${maxBody} bytes`)
  // Leaving the loop early destroys the body, which emits an error without another listener.
  body.on('error', () => {})
  const read = await readUpTo(body, maxBody)
  if (!read.isWhole) throw tooLong()
  let bytes = asBuffer(read.bytes)
  const encodings = String(headers['content-encoding'] ?? '').toLowerCase().split(',').map(name => name.trim())
  if (encodings.length > mostEncodings) throw new UnusableBodyError('the answer is encoded too often')
  for (const encoding of encodings.reverse()) {
    if (encoding === '' || encoding === 'identity' || bytes.length === 0) continue
    const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
    if (decode === undefined) throw new UnusableBodyError('the answer has an encoding that was not asked for')
    try {
      bytes = await decode(bytes, { maxOutputLength: maxBody })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Compressed data that ends too early means a broken connection.
      if (code === 'Z_BUF_ERROR') throw error
      throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLong() : new UnusableBodyError('the answer cannot be decoded')
    }
  }
  return bytes
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)
