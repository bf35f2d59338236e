import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { readUpTo } from '../async/read-up-to.ts'
import { isResponseClosed, onResponseClose } from '../async/on-response-close.ts'
import { TimedCall } from '../async/timed-call.ts'
import { channels, type ChannelMessages } from '../tracing/channels.ts'
import { hungUp, traceCallback } from '../tracing/trace.ts'
import type { FileKind } from './file-kind.ts'
import { FileTransfer } from './file-transfer.ts'
import { hopeless, type UpstreamSettings } from './ask-upstream.ts'
import type { LocateCall, Locations } from './locations.ts'
import type { MediaKind } from './media-kind.ts'
import type { MediaName } from './media-path.ts'
import { MediaTransfer, type Locate } from './media-transfer.ts'
import { chooseType } from './media-types.ts'
import { openMedia, type Media, type Wanted } from './open-media.ts'
import { readRange } from './ranges.ts'

/** A kind of media with the state that it retains between requests. */
export interface ReadyKind {
  upstream: UpstreamSettings
  locations: Pick<Locations, 'locate'>
  types: RegExp
  readError?: MediaKind['readError']
  trusted?: boolean | undefined
  /** Converts the complete media, so the upstream is not asked for a part. */
  convert?: ((media: Media, type: string, signal: AbortSignal) => Promise<Media>) | undefined
  chunk: number | undefined
}

/** A kind of media that is on disk. */
export interface ReadyFileKind extends Partial<Record<'trusted' | 'readError', undefined>>, Pick<ReadyKind, 'convert'> {
  file: FileKind
  types: RegExp
}

/** The maximum bytes that are read of an upstream's error response. */
const mostOfError = 65_536

/**
 * Responds to a request whose signature was checked.
 *
 * @param expires the time when the signature expires, in Unix seconds
 * @throws SourceError, or errors of `resolve`
 */
export async function sendMedia (
  kind: ReadyKind | ReadyFileKind, media: MediaName, expires: number, request: FastifyRequest, reply: FastifyReply
): Promise<FastifyReply> {
  // A hook of the parent app may have taken a long time.
  if (isResponseClosed(reply.raw)) return reply.hijack()
  if (!channels.media.hasSubscribers) return send(kind, media, expires, request, reply)
  const message: ChannelMessages['media'] = { kind: media.kind, ...kind.trusted && { headers: {} } }
  return traceCallback(channels.media, message, [], async end => {
    let failure: unknown
    const onClose = ({ status, bytes, resolutions }: Ended) => {
      Object.assign(message, { status: status ?? hungUp, bytes, resolutions })
      end(failure)
    }
    return send(kind, media, expires, request, reply, onClose, message.headers).catch(error => {
      failure = error
      throw error
    })
  })
}

/** The statistics of a response at its end. `status` is `undefined` if no response was sent. */
interface Ended { status: number | undefined, bytes: number, resolutions: number }

async function send (
  kind: ReadyKind | ReadyFileKind, media: MediaName, expires: number, request: FastifyRequest, reply: FastifyReply,
  onClose?: (ended: Ended) => void, traceHeaders?: Record<string, string>
): Promise<FastifyReply> {
  const started = performance.now()
  const { signal } = new TimedCall(reply.raw, 0)
  const { log } = request
  const { kind: name, params } = media
  const headers = kind.trusted ? { 'x-request-id': String(request.id), ...traceHeaders } : {}
  const { transfer, open } = begin(kind, params, { signal, log, headers }, reply)
  onResponseClose(reply.raw, () => {
    const status = reply.raw.headersSent ? reply.statusCode : undefined
    const { bytes, resolutions } = transfer
    const ms = Math.round(performance.now() - started)
    log.info({ media: { kind: name, params, status, bytes, ms, resolutions } }, 'media ended')
    onClose?.({ status, bytes, resolutions })
  })
  let found: Media
  try {
    const asked = readWanted(request)
    const wanted = kind.convert ? { ...asked, range: undefined, conditions: {} } : asked
    found = await open(wanted)
    if (found.status === 200 || found.status === 206) {
      const type = chooseType(found.type, transfer.location?.type, extensionOf(media), kind.types)
      if (type === undefined) throw await refusal(kind, found)
      if (kind.convert) found = await kind.convert(found, type, signal)
      reply.type(type)
    }
  } catch (error) {
    if (signal.aborted) return reply.hijack()
    throw error
  }
  const { status, body } = found
  const maxAge = Math.max(0, Math.floor(expires - Date.now() / 1000))
  const cacheControl = status >= 400 ? 'no-store' : `private, max-age=${maxAge}`
  reply.code(status).headers(found.headers).headers(mediaHeaders(cacheControl))
  return reply.send(body && Readable.from(body, { objectMode: false }))
}

/** The counters for the log, and a function that opens the media. */
interface Begun {
  transfer: Pick<MediaTransfer, 'bytes' | 'resolutions' | 'location'>
  open: (wanted: Wanted) => Promise<Media>
}

function begin (
  kind: ReadyKind | ReadyFileKind, params: MediaName['params'],
  { headers, ...call }: LocateCall & { headers: Record<string, string> }, reply: FastifyReply
): Begun {
  if ('file' in kind) {
    const transfer = new FileTransfer(reply)
    return { transfer, open: wanted => transfer.open(kind.file, params, wanted, call) }
  }
  const locate: Locate = refused => kind.locations.locate(params, { ...call, refused })
  const transfer = new MediaTransfer(kind.upstream, call.signal, locate, headers)
  return { transfer, open: wanted => openMedia(transfer, wanted, kind.chunk) }
}

/** Returns the headers of every media response. */
export const mediaHeaders = (cacheControl: string) => ({
  'cache-control': cacheControl,
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'default-src \'none\'; sandbox'
})

/** Reads the request. Ranges of HEAD requests are ignored. */
function readWanted ({ method, headers }: FastifyRequest): Wanted {
  const head = method === 'HEAD'
  const range = head ? undefined : readRange(headers.range)
  const conditions: Record<string, string> = {}
  for (const name of range === undefined ? ['if-none-match', 'if-modified-since'] as const : ['if-range'] as const) {
    const value = headers[name]
    if (typeof value === 'string') conditions[name] = value
  }
  return { head, range, conditions }
}

const extensionOf = ({ name }: MediaName) => name.slice(name.lastIndexOf('.') + 1)

/** Creates the error for a response that is not media of the kind. */
async function refusal (
  { readError }: Pick<ReadyKind, 'readError'>, { type, body, discard }: Media
): Promise<Error> {
  const { bytes } = await readUpTo((readError && body) ?? [], mostOfError)
  discard?.()
  return readError?.(Buffer.from(bytes).toString()) ??
    hopeless(`The type ${type ?? 'that the upstream does not tell'} is none of the option "types"`)
}
