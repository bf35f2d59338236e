import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, LogLevel } from 'fastify'
import type { Accounts } from '../accounts/index.ts'
import type { SourceCache, SourceCacheOptions } from '../cache/index.ts'
import { invalidOption } from '../errors/author-errors.ts'
import type { ResolveContext, SourceAdapter, SourceContext, SourceOriginOptions } from '../index.ts'
import type { MediaProxyOptions, MediaUrl, SignerOptions, Transcoder, TranscoderOptions } from '../media/index.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { isObject } from '../options/is-object.ts'
import { aBoolean, aFunction, aPrefix, aPublicUrl, aStore, aString, hasMethods } from '../options/member-rules.ts'
import type { SourcePageOptions } from '../page/index.ts'
import type { SubsonicStore } from '../queue/index.ts'
import type { SubsonicOptions } from '../subsonic-server/index.ts'
import { aPart, serverPartRules, type ServerParts } from './server-parts.ts'

/** A request of an account. `Kinds` as in `MediaUrl`. */
export interface SourceCall<Kinds = Record<string, Record<string, string | undefined>>> {
  /** The id of the account. */
  readonly account: string
  /** Aborted when the client disconnects or the time limit has passed. */
  readonly signal: AbortSignal
  readonly log: FastifyBaseLogger
  readonly request: FastifyRequest
  /** The URL of this server for clients, without a trailing slash and without the option `prefix`. */
  readonly baseUrl: string
  /** Creates an absolute URL of the option `media`. */
  readonly mediaUrl: MediaUrl<Kinds>
}

export type MediaOptions =
  Pick<MediaProxyOptions, 'kinds' | 'prefix'> & Pick<SignerOptions, 'keys'> & Partial<Pick<SignerOptions, 'ttl'>>

/** Options of `serveSource` for accounts. They are never changed, so frozen ones work. */
export interface ServeSourceOptions extends ServeOptions {
  /** The accounts that may call the source, created by `createAccounts`. Required. */
  accounts: Pick<Accounts, 'find'> &
    Partial<Pick<Accounts, 'logIn' | 'issueAppPassword' | 'list' | 'revoke' | 'hasSecret' | 'signIn' | 'identities'>>
  /** Creates the adapter for one request. Required. */
  adapter: (call: SourceCall) => SourceAdapter | Promise<SourceAdapter>
  resolveContext?: undefined
}

/** Options of `serveSource` for a source with custom authentication. */
export interface ServeContextOptions extends ServeOptions {
  /**
   * Creates the context of a request, instead of `accounts` and `adapter`. Properties of the context override the
   * options of the same name. The default `variant` is the URL of this server for the client. Required.
   */
  resolveContext: ResolveContext
  accounts?: undefined
  adapter?: undefined
}

/** Options of both variants. */
interface ServeOptions extends ServerParts, Pick<
  SourceContext, 'stateless' | 'qualityMap' | 'playlistSortOptions' | 'sharesPlaying'
> {
  /** The name of the source on its page. Default: `Source origin`. */
  title?: string | undefined
  /** The path prefix of all routes, for example `/music`. Default: none. */
  prefix?: string
  /**
   * The URL of this server for clients, without a trailing slash and without `prefix`. Default: the URL of each
   * request.
   */
  publicUrl?: string | undefined
  /** Registers hooks and plugins for all routes of this source, such as CORS and compression. Default: none. */
  before?: ((app: FastifyInstance) => unknown) | undefined
  /** Further options of the source plugin. */
  source?:
    | Pick<SourceOriginOptions, 'adapterTimeout' | 'validateResponses' | 'exposeOpenApi' | 'inHostDocument'>
    | undefined
  /** Options of `createSourceCache`, or a cache created by it. `false` = none. Default: `{}`. */
  cache?: SourceCacheOptions | SourceCache | false | undefined
  /** Options of `mediaProxy` and of its signer: `keys`, and `ttl` (default: 21,600,000). Default: none. */
  media?: MediaOptions | false | undefined
  /**
   * Options of `createTranscoder`, for URLs of the option `media` and for Subsonic apps, or a transcoder created by it.
   * `false` = none. Default: none.
   */
  transcoding?: Omit<TranscoderOptions, 'log'> | Transcoder | false | undefined
  /**
   * The store of the data of accounts that the page and Subsonic apps share: queues, bookmarks, ratings and plays.
   * Default: a store in memory.
   */
  store?: SubsonicStore | undefined
  /** Further options of the Subsonic plugin. `false` = none. Default: `{}`. */
  subsonic?: Omit<SubsonicOptions, 'prefix' | 'publicUrl' | 'store'> | false | undefined
  /** Further options of the page. `false` = none. Default: `{}`. */
  page?: Omit<SourcePageOptions, 'title' | 'prefix' | 'publicUrl' | 'store'> | false | undefined
  /** The log level of the routes, an option of Fastify's `register`. */
  logLevel?: LogLevel
}

const isOption = (value: unknown) => isObject(value) && typeof value.key === 'string'
const list: MemberRule = {
  must: 'a list of objects with a key', holds: value => Array.isArray(value) && value.every(isOption)
}

const rules = {
  stateless: aBoolean,
  qualityMap: list,
  playlistSortOptions: list,
  sharesPlaying: {
    must: 'true, false or a function', holds: (value: unknown) => aBoolean.holds(value) || aFunction.holds(value)
  },
  title: aString,
  prefix: aPrefix,
  publicUrl: aPublicUrl,
  before: aFunction,
  source: { must: 'an object of options', holds: isObject },
  cache: aPart,
  media: aPart,
  transcoding: aPart,
  store: aStore,
  subsonic: aPart,
  page: aPart,
  logLevel: aString,
  ...serverPartRules
} satisfies Record<keyof ServeOptions, MemberRule>

const accountRules = {
  accounts: { must: 'accounts made by createAccounts', holds: hasMethods('find') },
  adapter: aFunction
}
const contextRules = { resolveContext: aFunction }

export function validateServeOptions (options: ServeSourceOptions | ServeContextOptions): void {
  const { accounts, adapter, resolveContext } = options as Partial<ServeSourceOptions & ServeContextOptions>
  const ownRules = resolveContext === undefined ? accountRules : contextRules
  validateMembers(options, { ...optional({ ...rules, ...accountRules, ...contextRules }), ...ownRules })
  if (resolveContext !== undefined && (accounts ?? adapter) !== undefined) {
    throw invalidOption('resolveContext', 'omitted if accounts or adapter is set')
  }
}
