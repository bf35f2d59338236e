import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import type { Accounts } from '../accounts/index.ts'
import type { SourceCache, SourceCacheOptions } from '../cache/index.ts'
import { invalidOption } from '../errors/author-errors.ts'
import sourceOrigin, { type ResolveContext } from '../index.ts'
import type { MediaUrl, Signer, Transcoder, transcodedUrl } from '../media/index.ts'
import type { SubsonicOptions } from '../subsonic-server/index.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { openRegistrations } from '../routes/index.ts'
import { requestOrigin } from '../text/request-origin.ts'
import { checksLogin, checksToken } from './check-tries.ts'
import { inOption } from './in-option.ts'
import {
  validateServeOptions, type MediaOptions, type ServeContextOptions, type ServeSourceOptions
} from './serve-options.ts'
import { registerServerParts } from './server-parts.ts'

type Options = ServeSourceOptions | ServeContextOptions

/** The lifetime of media URLs in milliseconds. */
const mediaTtl = 21_600_000

/** Routes below a prefix have their own decorators, so that a server can have several sources. */
async function register (host: FastifyInstance, options: Options): Promise<void> {
  validateServeOptions(options)
  const { prefix, logLevel } = options
  openRegistrations(host)
  await registerServerParts(host, options)
  if (!prefix && logLevel === undefined) return registerParts(host, options)
  const partsOfSource = (app: FastifyInstance) => registerParts(app, options)
  await host.register(partsOfSource, { ...prefix && { prefix }, ...logLevel && { logLevel } })
}

async function registerParts (app: FastifyInstance, options: Options): Promise<void> {
  const {
    publicUrl, title, source = {}, cache = {}, media = false, subsonic = {}, page = {}, prefix = '', store
  } = options
  const { accounts } = options as Partial<ServeSourceOptions>
  await options.before?.(app)
  const transcoder = await inOption('transcoding', openTranscoder(app, options))
  const own = media !== false && await inOption('media', registerMedia(app, media, transcoder))
  const kept = cache === false ? undefined : await inOption('cache', openCache(cache, media))
  const resolveContext = contextOf(app, options)
  await inOption('source', app.register(sourceOrigin, { ...source, resolveContext, cache: kept }))
  // Imported dynamically, so that an unused part costs nothing.
  if (subsonic !== false) {
    const plugin = (await import('../subsonic-server/index.ts')).subsonic
    await inOption('subsonic', app.register(plugin, {
      ...title !== undefined && title !== '' && { title },
      ...transcoder && { transcoder, ...own && { transcodedUrl: ownUrls(own, publicUrl) } },
      ...withoutUndefined({ ...subsonic, store }),
      ...withoutUndefined({ resolveLogin: checksLogin(app, subsonic.resolveLogin ?? accounts?.logIn) }),
      ...publicUrl !== undefined && { publicUrl }
    }))
  }
  if (page !== false) {
    const plugin = (await import('../page/index.ts')).sourcePage
    const logsIn = accounts?.logIn !== undefined && subsonic !== false && subsonic.resolveLogin === undefined
    const appPasswords = logsIn && accounts.hasSecret === true && accounts as Accounts
    await inOption('page', app.register(plugin, {
      appPasswords,
      ...withoutUndefined(page),
      title,
      store,
      ...publicUrl !== undefined && { publicUrl: publicUrl + prefix }
    }))
  }
}

async function openTranscoder (
  app: FastifyInstance, { transcoding = false }: Options
): Promise<Transcoder | undefined> {
  if (transcoding === false) return undefined
  if ('send' in transcoding) return transcoding
  const { createTranscoder } = await import('../media/index.ts')
  const transcoder = await createTranscoder({ ...transcoding, log: app.log })
  app.addHook('onClose', () => transcoder.close())
  return transcoder
}

/** Audio of the option `media` is transcoded by the media proxy, because its URLs are signed by this server. */
function ownUrls (
  { check, transcodedUrl }: OwnMedia, publicUrl: string | undefined
): NonNullable<SubsonicOptions['transcodedUrl']> {
  const base = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')
  return (url, profile, part) => {
    const { pathname, searchParams } = new URL(url)
    try {
      check(pathname.slice(base.length), Object.fromEntries(searchParams))
    } catch {
      return undefined
    }
    return transcodedUrl(url, profile, part)
  }
}

interface OwnMedia extends Pick<Signer, 'check'> { readonly transcodedUrl: typeof transcodedUrl }

async function registerMedia (
  app: FastifyInstance, options: MediaOptions, transcoder: Transcoder | undefined
): Promise<OwnMedia> {
  const { keys, ttl = mediaTtl, kinds, prefix } = options
  const { createSigner, mediaProxy, transcodedUrl } = await import('../media/index.ts')
  const signer = createSigner({ keys, ttl })
  await app.register(mediaProxy, {
    kinds, transcoder, ...prefix && { prefix }, signer
  })
  return { check: signer.check, transcodedUrl }
}

async function openCache (cache: SourceCacheOptions | SourceCache, media: MediaOptions | false): Promise<SourceCache> {
  if ('invalidate' in cache) return cache
  const { createSourceCache } = await import('../cache/index.ts')
  // URLs in cached responses remain valid for at least half of their lifetime.
  return createSourceCache({ ...media !== false && { maxAge: (media.ttl ?? mediaTtl) / 2 }, ...cache })
}

function contextOf (app: FastifyInstance, options: Options): ResolveContext {
  const { publicUrl, stateless, qualityMap, playlistSortOptions, sharesPlaying } = options
  const { resolveContext } = options as Partial<ServeContextOptions>
  const resolve = checksToken(app, resolveContext ?? contextOfAccounts(app, options as ServeSourceOptions))
  return async call => {
    const context = await resolve(call)
    // Responses contain URLs based on the variant. Without it, one caller's `Host` would be in the responses to others.
    return context && {
      varyBy: publicUrl ?? requestOrigin(call.request),
      stateless,
      qualityMap,
      playlistSortOptions,
      sharesPlaying,
      ...withoutUndefined(context) as typeof context
    }
  }
}

function contextOfAccounts (app: FastifyInstance, options: ServeSourceOptions): ResolveContext {
  const { accounts, adapter, publicUrl, media } = options
  return async ({ authorization, request, signal }) => {
    const account = await accounts.find(authorization)
    if (account === null) return null
    const baseUrl = publicUrl ?? requestOrigin(request)
    const mediaUrl: MediaUrl = (kind, params, options) => {
      if (!media) throw invalidOption('media', 'given for mediaUrl')
      return baseUrl + app.mediaUrl(kind, params, options)
    }
    const call = { account: account.id, signal, log: request.log, request, baseUrl, mediaUrl }
    return { adapter: await adapter(call), account: account.id }
  }
}

/**
 * The plugin that serves a complete source: its operations, a cache, media, Subsonic and the page, for accounts or for
 * a custom `resolveContext`. Server-wide features are off by default.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION at registration; the errors of the plugins
 * @see docs/reference/serve.md
 */
export const serveSource: FastifyPluginAsync<Options> =
  fastifyPlugin(register, { name: 'fastify-source-origin/serve', fastify: '^5.12.0' })
