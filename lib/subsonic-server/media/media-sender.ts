import { create } from 'content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  CoverScaler, createConnections, endResponses, findOwnMedia, mediaHeaders, openWhole, type ReadyKind, sendMedia,
  sendTranscoded, transcodingKeptFor, typesOf
} from '../../media/internal.ts'
import { UpstreamError } from '../../contract/errors.ts'
import { hostMatcher } from '../../text/host-list.ts'
import { isHttpUrl } from '../../text/is-http-url.ts'
import type { MediaLocation, Transcoding } from '../../media/index.ts'
import { requestOrigin } from '../../text/request-origin.ts'
import { urlExpiry } from '../../text/url-expiry.ts'
import type { ValidOptions } from '../subsonic-options.ts'

/** The timeout in milliseconds without a byte. */
const timeout = 15_000

/** The media that an app requests. */
interface Media {
  readonly kind: 'audio' | 'cover'
  /** The id for the log. */
  readonly id: string
  /** The file extension that sets the type if the upstream sends none. */
  readonly extension: string
  /** The number of seconds that the app may cache it. */
  readonly maxAge: number
  /** The maximum width and height of a cover in pixels. */
  readonly pixels?: number | undefined
  /** The file name of a download. */
  readonly filename?: string | undefined
  /** Default: the option `media`. */
  readonly way?: 'redirect'
  /** The transcoding settings and key of audio. */
  readonly transcoding?: Omit<Transcoding, 'open'> | undefined
  /** Returns the location. `again`: the last location was rejected, so another one is required. */
  readonly locate: (again: boolean) => Promise<MediaLocation>
}

/** Sends media through this server or by a redirect. */
export type MediaSender = (call: { request: FastifyRequest, reply: FastifyReply }, media: Media) => Promise<void>

export function createMediaSender (app: FastifyInstance, options: ValidOptions): MediaSender {
  const { allowPrivate, hosts } = options
  const open = (allowPrivate: boolean, isListed: (url: URL) => boolean) =>
    ({ connections: createConnections({ timeout, allowPrivate }), isListed, timeout, allowPrivate })
  const publicUpstream = open(allowPrivate === true, hosts ? hostMatcher(hosts) : () => true)
  const privateUpstream = typeof allowPrivate === 'boolean' ? undefined : open(true, hostMatcher(allowPrivate))
  const upstreamOf = (url: string) =>
    URL.canParse(url) && privateUpstream?.isListed(new URL(url)) ? privateUpstream : publicUpstream
  const scaler = new CoverScaler(app.log)
  const register = endResponses(app)
  app.addHook('onClose', async () => {
    await publicUpstream.connections.close()
    await privateUpstream?.connections.close()
  })

  const findOwn = (url: string, request: FastifyRequest) => {
    const base = baseOf(url, request, options.publicUrl)
    if (base === undefined) return undefined
    const path = url.slice(base.length)
    // A public URL can have the root of the server or the prefix as its base.
    return findOwnMedia(app.server, path) ?? findOwnMedia(app.server, app.prefix + path)
  }

  return async function send (
    { request, reply }, { kind, id, extension, maxAge, pixels, filename, way, transcoding, locate }
  ) {
    let isTranscoded = false
    const place = async (again: boolean): Promise<MediaLocation> => {
      const found = await locate(again)
      if (URL.canParse(found.url) && !isHttpUrl(found.url)) throw notHttp()
      const transcoded = transcoding && options.transcodedUrl?.(found.url, transcoding.profile, transcoding)
      isTranscoded = transcoded !== undefined
      return { ...found, url: transcoded ?? found.url }
    }
    let location: MediaLocation | undefined = await place(false)
    const { url } = location
    const upstream = upstreamOf(url)
    const own = isTranscoded ? undefined : findOwn(url, request)
    if (transcoding && !isTranscoded) {
      register(reply.raw)
      if (own !== undefined) {
        await sendTranscoded(options.transcoder!, transcoding, own.kind, own.media, request, reply)
        return
      }
      await options.transcoder!.send(reply.headers(mediaHeaders(`private, max-age=${transcodingKeptFor}`)), {
        ...transcoding,
        key: JSON.stringify([app.prefix, transcoding.key]),
        open: signal => openWhole({ upstream, types: typesOf[kind], chunk: undefined }, extension,
          async refused => refused === undefined ? location! : place(true), signal)
      })
      return
    }
    if ((way ?? chooseWay(url, kind, request, options)) === 'redirect') {
      // A cover stays the same while its URL is valid, so that caches keep the redirect under the address of the app.
      const seconds = Math.floor(Math.min(maxAge, ((urlExpiry(url) ?? Infinity) - Date.now()) / 1000 - 60))
      const isKept = kind === 'cover' && seconds > 0
      const caching = isKept ? `private, max-age=${seconds}` : 'no-store'
      reply.header('cache-control', caching).redirect(locationOf(url, request, app.prefix, options), 302)
      return
    }
    const known = pixels && scaler.find(url, pixels)
    if (known) {
      reply.type(known.type).headers(mediaHeaders(`private, max-age=${maxAge}`)).send(known.bytes)
      return
    }
    register(reply.raw)
    if (filename !== undefined) reply.header('content-disposition', create(filename.replace(/[/\\\p{Cc}]/gu, '_')))
    const convert: ReadyKind['convert'] =
      pixels ? (media, type, signal) => scaler.scale(media, type, url, pixels, signal) : undefined
    const expires = Math.ceil(Date.now() / 1000 + maxAge)
    if (own !== undefined) {
      await sendMedia({ ...own.kind, convert }, own.media, Math.min(own.expires, expires), request, reply)
      return
    }
    const ready: ReadyKind = {
      upstream,
      types: typesOf[kind],
      chunk: undefined,
      convert,
      locations: {
        locate: async (_params, { refused }) => {
          const found = location ?? await place(refused !== undefined)
          location = undefined
          return found
        }
      }
    }
    await sendMedia(ready, { kind, params: { id }, name: `${kind}.${extension}` }, expires, request, reply)
  }
}

const notHttp = () =>
  new UpstreamError(undefined, { cause: new Error('The URL that the source gave is not http or https') })

/**
 * Selects proxy or redirect. Few apps follow redirects to other hosts, and some take a target below `/rest/` for a new
 * server address.
 */
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

/** Returns the base of a URL of this server; `undefined` for other URLs. */
const baseOf = (url: string, request: FastifyRequest, publicUrl: string | undefined): string | undefined =>
  [publicUrl, requestOrigin(request)].find(base => base !== undefined && url.startsWith(`${base}/`))

/**
 * Returns the redirect target. A URL of this server becomes relative, since an app may use another address of the
 * server.
 */
function locationOf (url: string, request: FastifyRequest, prefix: string, { publicUrl }: ValidOptions): string {
  const base = baseOf(url, request, publicUrl)
  if (base === undefined) return url
  const path = url.slice(base.length)
  const [asked = ''] = request.url.split('?', 1)
  // A public URL can have the root of the server or the prefix as its base.
  const root = path.startsWith(`${prefix}/`) ? 0 : asked.toLowerCase().indexOf('/rest/', prefix.length)
  return root === -1 ? url : '../'.repeat(asked.slice(root + 1).split('/').length - 1) + path.slice(1)
}
