import type { PlaylistSortOption, QualityOption } from '../../schemas/index.ts'
import type { SourceAdapter } from './source-adapter.ts'

/** What an account may not do. The adapter refuses it; this is what apps are told. */
export interface AccountLimits {
  /** `false`: it saves no files. Default: true. */
  readonly download?: boolean | undefined
  /** bit/s of the audio that it gets, at most. Default: all. */
  readonly bitrate?: number | undefined
}

/** What `resolveContext` gives for one request (docs/reference/contract.md, Context). */
export interface SourceContext {
  adapter: SourceAdapter
  /** `true` by default; only `false` makes the source stateful: then there is an account behind it. */
  stateless?: boolean | undefined
  /** Qualities that `getTrackUrl` may be asked for; without it any string passes. */
  qualityMap?: readonly QualityOption[] | undefined
  /** Orders that `getPlaylistDetail` may be asked for; without it any string passes. */
  playlistSortOptions?: readonly PlaylistSortOption[] | undefined
  /**
   * Stable id of the account behind this context, not the token. Without it, a cache neither keeps nor shares the
   * answers of an account.
   */
  account?: string | undefined
  /**
   * Changes with the account's own data (favourites, playlists, plays), for sources where another replica or app may
   * change them: no answer of an account from before is sent. What is the same for all accounts does not depend on it.
   */
  revision?: string | undefined
  /** Whatever else the answers depend on: base URL of media, language, region. Part of every key of the cache. */
  variant?: string | undefined
  /** For the log. */
  accountName?: string | undefined
  /**
   * Whether other accounts see what this one plays now, in their apps. A function is asked each time that one of them
   * looks, so that it ends at once. Default: false.
   */
  sharesPlaying?: boolean | (() => boolean | Promise<boolean>) | undefined
  /** What the account may not do, for `getUser` of Subsonic apps. Default: nothing is forbidden. */
  limits?: AccountLimits | undefined
}

/** The context of an authorised request, with its defaults. */
export interface RequestContext extends SourceContext {
  readonly stateless: boolean
  /** Names of what the adapter can do for this request (docs/reference/contract.md, Capabilities). */
  readonly capabilities: readonly string[]
}
