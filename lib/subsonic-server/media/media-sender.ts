import { create } from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  CoverScaler, createConnections, endResponses, mediaHeaders, openWhole, type ReadyKind, sendMedia, transcodingKeptFor,
  typesOf
} from '../../media/internal.ts'
import { UpstreamError } from '../../contract/errors.ts'
import { hostMatcher } from '../../text/host-list.ts'
import { isHttpUrl } from '../../text/is-http-url.ts'
import type { MediaLocation, Transcoding } from '../../media/index.ts'
import { requestOrigin } from '../../text/request-origin.ts'
import type { ValidOptions } from '../subsonic-options.ts'

/** Milliseconds without a byte. */
const timeout = 15_000

/** Media that an app asks for. */
interface Media {
  readonly kind: 'audio' | 'cover'
  /** For the log. */
  readonly id: string
  /** What stands for the type where the upstream tells none. */
  readonly extension: string
  /** Seconds that the app may keep it. */
  readonly maxAge: number
  /** The most that width and height of a cover may have. */
  readonly pixels?: number | undefined
  /** What it is saved as. */
  readonly filename?: string | undefined
  /** Default: what the options say. */
  readonly way?: 'redirect'
  /** What audio is converted to, and what names it. */
  readonly transcoding?: Omit<Transcoding, 'open'> | undefined
  /** Where it is. `again`: the last place was refused, so it must be another. */
  readonly locate: (again: boolean) => Promise<MediaLocation>
}

/** Answers with media, through this server or by a redirect. */
export type MediaSender = (call: { request: FastifyRequest, reply: FastifyReply }, media: Media) => Promise<void>

export function createMediaSender (app: FastifyInstance, options: ValidOptions): MediaSender {
  const { allowPrivate, hosts } = options
  const connections = createConnections({ timeout, allowPrivate })
  const upstream = { connections, isListed: hosts ? hostMatcher(hosts) : () => true, timeout, allowPrivate }
  const scaler = new CoverScaler(app.log)
  const noteRunning = endResponses(app)
  app.addHook('onClose', () => connections.close())

  return async function send (
    { request, reply }, { kind, id, extension, maxAge, pixels, filename, way, transcoding, locate }
  ) {
    let isOwn = false
    const place = async (again: boolean): Promise<MediaLocation> => {
      const found = await locate(again)
      if (URL.canParse(found.url) && !isHttpUrl(found.url)) throw notHttp()
      const own = transcoding && options.transcodedUrl?.(found.url, transcoding.profile, transcoding)
      isOwn = own !== undefined
      return { ...found, url: own ?? found.url }
    }
    let location: MediaLocation | undefined = await place(false)
    if (transcoding && !isOwn) {
      noteRunning(reply.raw)
      await options.transcoder!.send(reply.headers(mediaHeaders(`private, max-age=${transcodingKeptFor}`)), {
        ...transcoding,
        key: JSON.stringify([app.prefix, transcoding.key]),
        open: signal => openWhole({ upstream, types: typesOf[kind], chunk: undefined }, extension,
          async refused => refused === undefined ? location! : place(true), signal)
      })
      return
    }
    const { url } = location
    if ((way ?? chooseWay(url, kind, request, options)) === 'redirect') {
      reply.header('cache-control', 'no-store').redirect(locationOf(url, request, app.prefix, options), 302)
      return
    }
    const known = pixels && scaler.find(url, pixels)
    if (known) {
      reply.type(known.type).headers(mediaHeaders(`private, max-age=${maxAge}`)).send(known.bytes)
      return
    }
    noteRunning(reply.raw)
    if (filename !== undefined) reply.header('content-disposition', create(filename.replace(/[/\\\p{Cc}]/gu, '_')))
    const ready: ReadyKind = {
      upstream,
      types: typesOf[kind],
      chunk: undefined,
      convert: pixels ? (media, type, signal) => scaler.scale(media, type, url, pixels, signal) : undefined,
      locations: {
        locate: async (_params, { refused }) => {
          const found = location ?? await place(refused !== undefined)
          location = undefined
          return found
        }
      }
    }
    const expires = Math.ceil(Date.now() / 1000 + maxAge)
    await sendMedia(ready, { kind, params: { id }, name: `${kind}.${extension}` }, expires, request, reply)
  }
}

const notHttp = () =>
  new UpstreamError(undefined, { cause: new Error('The URL that the source gave is not http or https') })

/** Few apps follow redirects to other hosts, and some take a target below `/rest/` for a new server address. */
function chooseWay (
  url: string, kind: 'audio' | 'cover', request: FastifyRequest, { media: way, publicUrl }: ValidOptions
): 'proxy' | 'redirect' {
  if (typeof way === 'function') return way(url, { kind, request })
  if (way !== 'auto') return way
  const own = requestOrigin(request)
  if (!URL.canParse(url) || !URL.canParse(own)) return 'proxy'
  const { origin, pathname } = new URL(url)
  if (pathname.endsWith('.m3u8')) return 'redirect'
  const isOwn = origin === new URL(own).origin || baseOf(url, request, publicUrl) !== undefined
  return isOwn && !pathname.includes('/rest/') ? 'redirect' : 'proxy'
}

/** What a URL of this server begins with; `undefined` for others. */
const baseOf = (url: string, request: FastifyRequest, publicUrl: string | undefined): string | undefined =>
  [publicUrl, requestOrigin(request)].find(base => base !== undefined && url.startsWith(`${base}/`))

/** A URL of this server is relative: an app may know the server by another address than the URL has. */
function locationOf (url: string, request: FastifyRequest, prefix: string, { publicUrl }: ValidOptions): string {
  const base = baseOf(url, request, publicUrl)
  if (base === undefined) return url
  const path = url.slice(base.length)
  const [asked = ''] = request.url.split('?', 1)
  // A public URL is that of the server, or that of the prefix.
  const root = path.startsWith(`${prefix}/`) ? 0 : asked.toLowerCase().indexOf('/rest/', prefix.length)
  return root === -1 ? url : '../'.repeat(asked.slice(root + 1).split('/').length - 1) + path.slice(1)
}
