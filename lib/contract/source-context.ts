import type { PlaylistSortOption, QualityOption } from '../../schemas/index.ts'
import type { SourceAdapter } from './source-adapter.ts'

/** The limits of an account. The adapter enforces them; the SDK only reports them to apps. */
export interface AccountLimits {
  /** If `false`, the account may not download files. Default: true. */
  readonly download?: boolean | undefined
  /** The maximum audio bitrate in bit/s. Default: unlimited. */
  readonly bitrate?: number | undefined
}

/** The return value of `resolveContext` for one request (docs/reference/contract.md, Context). */
export interface SourceContext {
  adapter: SourceAdapter
  /** `true` by default. Only `false` makes the source stateful: the context then belongs to an account. */
  stateless?: boolean | undefined
  /** The qualities that `getTrackUrl` accepts. Default: any string. */
  qualityMap?: readonly QualityOption[] | undefined
  /** The sort orders that `getPlaylistDetail` accepts. Default: any string. */
  playlistSortOptions?: readonly PlaylistSortOption[] | undefined
  /**
   * The stable id of the account behind this context, not the token. Without it, a cache neither stores nor shares the
   * responses of an account.
   */
  account?: string | undefined
  /**
   * The revision of the account's data (favourites, playlists, plays), for sources in which another replica or app can
   * change them. After a change of the revision, the cache does not send older responses of the account. Responses that
   * are the same for all accounts do not depend on the revision.
   */
  revision?: string | undefined
  /**
   * Everything else that responses depend on, such as the base URL of media, the language or the region. Part of every
   * cache key.
   */
  varyBy?: string | undefined
  /** The name of the account in the log. */
  accountName?: string | undefined
  /**
   * If `true`, other accounts see in their apps what this account is playing now. A function is called at each such
   * request, so that a change takes effect at once. Default: false.
   */
  sharesPlaying?: boolean | (() => boolean | Promise<boolean>) | undefined
  /** The limits of the account, for `getUser` of Subsonic apps. Default: no limits. */
  limits?: AccountLimits | undefined
}

/** The context of an authorised request, with its defaults. */
export interface RequestContext extends SourceContext {
  readonly stateless: boolean
  /** The names of the adapter's capabilities for this request (docs/reference/contract.md, Capabilities). */
  readonly capabilities: readonly string[]
}
