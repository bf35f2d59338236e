import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import type { SourceCache, SourceCacheOptions } from '../cache/index.ts'
import { invalidOption, isOptionError } from '../errors/author-errors.ts'
import sourceOrigin, { type ResolveContext } from '../index.ts'
import type { MediaUrl } from '../media/index.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { openRegistrations } from '../registrations.ts'
import { requestOrigin } from '../urls/request-origin.ts'
import { checkServeOptions, type MediaOptions, type ServeSourceOptions } from './serve-options.ts'

/** Seconds that a media URL is valid. */
const mediaTtl = 21_600

/** Whatever is below a prefix has decorators of its own, so that there may be several sources. */
async function register (host: FastifyInstance, options: ServeSourceOptions): Promise<void> {
  checkServeOptions(options)
  const { prefix, logLevel } = options
  openRegistrations(host)
  if (!prefix && logLevel === undefined) return registerParts(host, options)
  await host.register(app => registerParts(app, options), { ...prefix && { prefix }, ...logLevel && { logLevel } })
}

async function registerParts (app: FastifyInstance, options: ServeSourceOptions): Promise<void> {
  const { publicUrl, title, source = {}, cache = {}, media = false, subsonic = {}, page = {} } = options
  if (media !== false) await inPart('media', registerMedia(app, media))
  const kept = cache === false ? undefined : await inPart('cache', openCache(cache, media))
  const resolveContext = contextOf(app, options)
  await inPart('source', app.register(sourceOrigin, { ...source, resolveContext, cache: kept }))
  // Loaded here, so that a part that is off costs nothing.
  if (subsonic !== false) {
    const plugin = (await import('../subsonic/index.ts')).subsonic
    const { logIn } = options.accounts
    await inPart('subsonic', app.register(plugin, {
      ...logIn && { resolveLogin: logIn },
      ...title !== undefined && title !== '' && { title },
      ...withoutUndefined(subsonic),
      ...publicUrl !== undefined && { publicUrl }
    }))
  }
  if (page !== false) {
    const plugin = (await import('../page/index.ts')).sourcePage
    await inPart('page', app.register(plugin, { ...page, title }))
  }
}

/** Has errors name the whole option, `media.keys`: the parts know only their own. */
async function inPart<T> (part: string, registered: PromiseLike<T>): Promise<T> {
  try {
    return await registered
  } catch (error) {
    // Fastify keeps this object too.
    if (isOptionError(error)) error.message = error.message.replace('ption "', `ption "${part}.`)
    throw error
  }
}

async function registerMedia (app: FastifyInstance, options: MediaOptions): Promise<void> {
  const { keys, ttl = mediaTtl, kinds, prefix } = options
  const { createSigner, mediaProxy } = await import('../media/index.ts')
  await app.register(mediaProxy, { kinds, ...prefix && { prefix }, signer: createSigner({ keys, ttl }) })
}

async function openCache (cache: SourceCacheOptions | SourceCache, media: MediaOptions | false): Promise<SourceCache> {
  if ('forget' in cache) return cache
  const { createSourceCache } = await import('../cache/index.ts')
  // URLs in kept answers are valid for half of their time at least.
  return createSourceCache({ ...media !== false && { maxAge: (media.ttl ?? mediaTtl) / 2 }, ...cache })
}

function contextOf (app: FastifyInstance, options: ServeSourceOptions): ResolveContext {
  const { accounts, adapter, publicUrl, stateless, qualityMap, playlistSortOptions, media } = options
  return async ({ authorization, request, signal }) => {
    const account = await accounts.find(authorization)
    if (account === null) return null
    const baseUrl = publicUrl ?? requestOrigin(request)
    const mediaUrl: MediaUrl = (kind, params, options) => {
      if (!media) throw invalidOption('media', 'given for mediaUrl')
      return baseUrl + app.mediaUrl(kind, params, options)
    }
    const call = { account: account.id, signal, log: request.log, request, baseUrl, mediaUrl }
    // Answers hold URLs with it: without it, one caller's `Host` would be in the answers to others.
    return {
      adapter: await adapter(call), account: account.id, variant: baseUrl, stateless, qualityMap, playlistSortOptions
    }
  }
}

/**
 * The plugin that serves all of a source: its operations, a cache, media, Subsonic and the page, for accounts.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION at registration; what the plugins throw
 * @see docs/guide/serve.md
 */
export const serveSource: FastifyPluginAsync<ServeSourceOptions> =
  fastifyPlugin(register, { name: 'fastify-source-origin/serve', fastify: '5.x' })
