import type { FastifyInstance, FastifyPluginAsync, LogLevel } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { stat } from 'node:fs/promises'
import { invalidOption } from '../errors/author-errors.ts'
import { aPrefix, aString, aTranscoder, hasMethods } from '../options/member-rules.ts'
import { isObject } from '../options/is-object.ts'
import { validateMembers, type MemberRule } from '../options/validate-members.ts'
import type { Signer } from './create-signer.ts'
import { isFileKind, type FileKind } from './file-kind.ts'
import { areKinds, validateKinds, type MediaKind } from './media-kind.ts'
import type { Transcoder } from './transcode/transcoder-options.ts'
import { writeMediaPath } from './media-path.ts'
import { withErrorHandler } from '../reply/index.ts'
import { sendMediaError } from './send-media-error.ts'
import { errorWithoutQueries, serializerWithoutQuery } from './without-queries.ts'

/** Options of the plugin. They are never modified, so frozen objects work. */
export interface MediaProxyOptions {
  /** Signs and checks the URLs. Replicas share the keys. */
  signer: Signer
  /** Kinds of media by their name in URLs: letters, digits, `-` and `_`. */
  kinds: Readonly<Record<string, MediaKind | FileKind>>
  /** The path prefix of every media URL. Default: `/media`. */
  prefix?: string | undefined
  /** Converts audio for URLs written by `transcodedUrl`. Created by `createTranscoder`. Default: none. */
  transcoder?: Pick<Transcoder, 'send'> | undefined
  /** Fastify's own option of `register`. */
  logLevel?: LogLevel | undefined
}

export interface MediaUrlOptions {
  /**
   * The file extension of the name, such as `mp3`. Players read it, and it sets the type if the upstream sends none.
   */
  extension: string
  /**
   * If `true`, the URL stays the same for half of the signer's `ttl`, for media that clients cache, such as covers.
   * Default: `false`.
   */
  stable?: boolean | undefined
}

/**
 * Returns a signed path of media; put a base URL in front of it. `Kinds` maps the name of each kind to its params: `{
 * audio: { id: string } }`. By default any kind and params are accepted.
 *
 * @param params passed to `resolve`; each client with the URL can read them, so use ids and never secrets
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION for an unknown kind, params that are not strings, a bad extension
 */
export type MediaUrl<Kinds = Record<string, Record<string, string | undefined>>> =
  <Kind extends keyof Kinds & string>(kind: Kind, params: Readonly<Kinds[Kind]>, options: MediaUrlOptions) => string

const mediaWriters = Symbol('fastify-source-origin.media')

declare module 'fastify' {
  interface FastifyInstance {
    mediaUrl: MediaUrl
  }
}

const rules: Record<keyof MediaProxyOptions, MemberRule> = {
  signer: {
    must: 'a signer made by createSigner',
    holds: hasMethods(...['sign', 'signStable', 'check'] satisfies (keyof Signer)[])
  },
  kinds: { must: 'an object of one or more kinds, with names of letters, digits, - and _', holds: areKinds },
  prefix: { ...aPrefix, optional: true },
  transcoder: { ...aTranscoder, optional: true },
  logLevel: { ...aString, optional: true }
}

/** Returns the URL writers of a Fastify context by kind. Child contexts have separate ones. */
function openWriters (host: FastifyInstance): Map<string, MediaUrl> {
  if (Object.hasOwn(host, mediaWriters)) return host.getDecorator(mediaWriters)
  const writers = new Map<string, MediaUrl>()
  host.decorate(mediaWriters, writers)
  host.decorate<MediaUrl>('mediaUrl', (kind, params, options) => {
    const write = writers.get(kind)
    if (write === undefined) throw invalidOption('kind', `one of ${[...writers.keys()].join(', ')}`)
    return write(kind, params, options)
  })
  return writers
}

/** Logs a warning if the folder is missing. It is not an error, since a disk may be mounted later. */
async function warnOfRoot ({ log }: FastifyInstance, kind: string, { root }: FileKind): Promise<void> {
  const isFolder = await stat(root).then(stats => stats.isDirectory(), () => false)
  if (!isFolder) log.warn({ kind, path: root }, 'media folder missing')
}

async function register (host: FastifyInstance, options: MediaProxyOptions): Promise<void> {
  validateMembers(options, rules)
  const { signer, kinds, prefix = '/media', transcoder, logLevel } = options
  validateKinds(kinds)

  const writers = openWriters(host)
  const taken = Object.keys(kinds).find(kind => writers.has(kind))
  if (taken !== undefined) throw invalidOption(`kinds.${taken}`, 'renamed: another mediaProxy here has it')
  const write: MediaUrl = (kind, params, options) => {
    const { extension, stable = false }: Partial<MediaUrlOptions> = Object(options)
    if (!isObject(params)) throw invalidOption('params', 'an object of strings')
    const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const odd = given.find(([, value]) => typeof value !== 'string')
    if (odd !== undefined) throw invalidOption(`params.${odd[0]}`, 'a string')
    if (typeof extension !== 'string' || !/^[a-z0-9]+$/i.test(extension)) {
      throw invalidOption('extension', 'letters and digits, such as mp3')
    }
    const media = { kind, params: Object.fromEntries(given), name: `${kind}.${extension}` }
    const path = host.prefix + prefix + writeMediaPath(media)
    return stable ? signer.signStable(path) : signer.sign(path)
  }
  for (const kind of Object.keys(kinds)) writers.set(kind, write)

  for (const [name, kind] of Object.entries(kinds)) if (isFileKind(kind)) await warnOfRoot(host, name, kind)
  // Loaded here, since code that only signs URLs needs no HTTP client.
  const { mediaRoutes } = await import('./media-routes.ts')
  const serializers = { req: serializerWithoutQuery(host.log), err: errorWithoutQueries }
  // Fastify's types accept only serializers that return a string.
  const logSerializers = serializers as object as Record<string, () => string>
  await host.register(withErrorHandler(sendMediaError, app => mediaRoutes(app, { signer, kinds, transcoder })), {
    prefix, ...(logLevel && { logLevel }), logSerializers
  })
}

/**
 * Serves upstream media under signed URLs of this server, for upstreams that require headers or bind URLs to an
 * address. `app.mediaUrl` creates the URLs.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION at registration: they name the option
 */
export const mediaProxy: FastifyPluginAsync<MediaProxyOptions> =
  fastifyPlugin(register, { name: 'fastify-source-origin/media', fastify: '^5.12.0' })
