import type { FastifyBaseLogger, FastifyRequest, LogLevel } from 'fastify'
import type { Accounts } from '../accounts/index.ts'
import type { SourceCache, SourceCacheOptions } from '../cache/index.ts'
import type { SourceAdapter, SourceContext, SourceOriginOptions } from '../index.ts'
import type { MediaProxyOptions, MediaUrl, SignerOptions } from '../media/index.ts'
import { checkMembers, optional, type Rule } from '../options/check-members.ts'
import { isObject } from '../options/is-object.ts'
import { aBoolean, aFunction, aPrefix, aPublicUrl, aString, hasMethods } from '../options/rules.ts'
import type { SourcePageOptions } from '../page/index.ts'
import type { SubsonicOptions } from '../subsonic/index.ts'

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

/** Options of `serveSource`. They are never changed, so frozen ones work. */
export interface ServeSourceOptions extends Pick<SourceContext, 'stateless' | 'qualityMap' | 'playlistSortOptions'> {
  /** Who may call: made by `createAccounts`. Required. */
  accounts: Pick<Accounts, 'find'> & Partial<Pick<Accounts, 'logIn'>>
  /** Makes the adapter of one request. Required. */
  adapter: (call: SourceCall) => SourceAdapter | Promise<SourceAdapter>
  /** Name of the source on its page. Default: `Source origin`. */
  title?: string | undefined
  /** Path in front of all that is served, for example `/music`. Default: none. */
  prefix?: string
  /**
   * Where clients reach this server, without a slash at the end and without `prefix`. Default: where each request went
   * to.
   */
  publicUrl?: string | undefined
  /** More options of the source plugin. */
  source?: Pick<SourceOriginOptions, 'adapterTimeout' | 'validateResponses' | 'exposeOpenApi'> | undefined
  /** Options of `createSourceCache`, or what it made; `false` = none. Default: `{}`. */
  cache?: SourceCacheOptions | SourceCache | false | undefined
  /** Options of `mediaProxy`, and of its signer: `keys`, and `ttl` in seconds, 21600 by default. Default: none. */
  media?: MediaOptions | false | undefined
  /** More options of the Subsonic plugin; `false` = none. Default: `{}`. */
  subsonic?: Omit<SubsonicOptions, 'resolveContext' | 'adapterTimeout' | 'prefix' | 'publicUrl'> | false | undefined
  /** More options of the page; `false` = none. Default: `{}`. */
  page?: Omit<SourcePageOptions, 'title' | 'prefix'> | false | undefined
  /** Fastify's own option of `register`. */
  logLevel?: LogLevel
}

const isPart = (value: unknown) => value === false || isObject(value)
const part: Rule = { must: 'an object of options or false', holds: isPart }
const list: Rule = { must: 'a list', holds: Array.isArray }

const rules: Record<keyof ServeSourceOptions, Rule> = {
  accounts: { must: 'accounts made by createAccounts', holds: hasMethods('find') },
  adapter: aFunction,
  ...optional({
    stateless: aBoolean,
    qualityMap: list,
    playlistSortOptions: list,
    title: aString,
    prefix: aPrefix,
    publicUrl: aPublicUrl,
    source: { must: 'an object of options', holds: isObject },
    cache: part,
    media: part,
    subsonic: part,
    page: part,
    logLevel: aString
  } satisfies Record<keyof Omit<ServeSourceOptions, 'accounts' | 'adapter'>, Rule>) as
    Record<keyof Omit<ServeSourceOptions, 'accounts' | 'adapter'>, Rule>
}

export const checkServeOptions = (options: ServeSourceOptions): void => checkMembers(options, rules)
