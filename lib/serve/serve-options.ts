import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, LogLevel } from 'fastify'
import type { Accounts } from '../accounts/index.ts'
import type { SourceCache, SourceCacheOptions } from '../cache/index.ts'
import { invalidOption } from '../errors/author-errors.ts'
import type { ResolveContext, SourceAdapter, SourceContext, SourceOriginOptions } from '../index.ts'
import type { MediaProxyOptions, MediaUrl, SignerOptions, Transcoder, TranscoderOptions } from '../media/index.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { isObject } from '../options/is-object.ts'
import { aBoolean, aFunction, aPrefix, aPublicUrl, aString, hasMethods } from '../options/member-rules.ts'
import type { SourcePageOptions } from '../page/index.ts'
import type { SubsonicOptions } from '../subsonic-server/index.ts'
import { aPart, serverPartRules, type ServerParts } from './server-parts.ts'

/** One request of an account. `Kinds` as in `MediaUrl`. */
export interface SourceCall<Kinds = Record<string, Record<string, string | undefined>>> {
  /** Id of the account. */
  readonly account: string
  /** Aborted when the client disconnects or the time limit has passed. */
  readonly signal: AbortSignal
  readonly log: FastifyBaseLogger
  readonly request: FastifyRequest
  /** Where clients reach this server, without a slash at the end and without the option `prefix`. */
  readonly baseUrl: string
  /** A whole URL of the option `media`. */
  readonly mediaUrl: MediaUrl<Kinds>
}

export type MediaOptions =
  Pick<MediaProxyOptions, 'kinds' | 'prefix'> & Pick<SignerOptions, 'keys'> & Partial<Pick<SignerOptions, 'ttl'>>

/** Options of `serveSource` for accounts. They are never changed, so frozen ones work. */
export interface ServeSourceOptions extends ServeOptions {
  /** Who may call: made by `createAccounts`. Required. */
  accounts: Pick<Accounts, 'find'> &
    Partial<Pick<Accounts, 'logIn' | 'issueAppPassword' | 'list' | 'revoke' | 'hasSecret'>>
  /** Makes the adapter of one request. Required. */
  adapter: (call: SourceCall) => SourceAdapter | Promise<SourceAdapter>
  resolveContext?: undefined
}

/** Options of `serveSource` for a source that knows its callers in a way of its own. */
export interface ServeContextOptions extends ServeOptions {
  /**
   * In the place of `accounts` and `adapter`. What the context has goes before the options of the same name; its
   * default `variant` is where the client reaches this server. Required.
   */
  resolveContext: ResolveContext
  accounts?: undefined
  adapter?: undefined
}

/** What is the same for both. */
interface ServeOptions extends ServerParts, Pick<
  SourceContext, 'stateless' | 'qualityMap' | 'playlistSortOptions' | 'sharesPlaying'
> {
  /** Name of the source on its page. Default: `Source origin`. */
  title?: string | undefined
  /** Path in front of all that is served, for example `/music`. Default: none. */
  prefix?: string
  /**
   * Where clients reach this server, without a slash at the end and without `prefix`. Default: where each request went
   * to.
   */
  publicUrl?: string | undefined
  /**
   * Registers hooks and plugins that stand in front of all that is served from here on, such as CORS and compression.
   * Default: none.
   */
  before?: ((app: FastifyInstance) => unknown) | undefined
  /** More options of the source plugin. */
  source?:
    | Pick<SourceOriginOptions, 'adapterTimeout' | 'validateResponses' | 'exposeOpenApi' | 'inHostDocument'>
    | undefined
  /** Options of `createSourceCache`, or what it made; `false` = none. Default: `{}`. */
  cache?: SourceCacheOptions | SourceCache | false | undefined
  /** Options of `mediaProxy`, and of its signer: `keys`, and `ttl` in seconds, 21600 by default. Default: none. */
  media?: MediaOptions | false | undefined
  /**
   * Options of `createTranscoder`, for URLs of the option `media` and for Subsonic apps, or what it made; `false` =
   * none. Default: none.
   */
  transcoding?: Omit<TranscoderOptions, 'log'> | Transcoder | false | undefined
  /** More options of the Subsonic plugin; `false` = none. Default: `{}`. */
  subsonic?: Omit<SubsonicOptions, 'prefix' | 'publicUrl'> | false | undefined
  /** More options of the page; `false` = none. Default: `{}`. */
  page?: Omit<SourcePageOptions, 'title' | 'prefix'> | false | undefined
  /** Fastify's own option of `register`. */
  logLevel?: LogLevel
}

const list: MemberRule = { must: 'a list', holds: Array.isArray }

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
    throw invalidOption('resolveContext', 'left out where there are accounts and an adapter')
  }
}
