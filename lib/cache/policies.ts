import type { ReadMethod } from '../contract/operations.ts'
import type { OperationData, SourceAdapter } from '../contract/source-adapter.ts'
import { urlExpiry } from '../text/url-expiry.ts'

type Methods = Required<SourceAdapter>
type DataOf<M extends ReadMethod> = OperationData[M]
type ArgumentsOf<M extends ReadMethod> = Parameters<Methods[M]>

/** The caching of an operation's responses. Times are milliseconds. */
export interface CachePolicy<M extends ReadMethod = ReadMethod> {
  /**
   * `public`: the responses are the same for every account, which the author must guarantee. `none`: responses are
   * neither cached nor shared.
   */
  scope: 'public' | 'account' | 'none'
  /**
   * The time for which a response is fresh. 0 or less and NaN: it is not cached, but concurrent identical calls are
   * still shared.
   */
  ttl: number | ((data: DataOf<M>, args: ArgumentsOf<M>) => number)
  /** The time after `ttl` for which the cached response is sent while a new one is fetched. */
  staleWhileRevalidate: number
  /** The time after `ttl` for which the cached response is sent if the source fails. */
  staleIfError: number
  /** The time for which a 404 is cached. */
  notFoundTtl: number
}

type Changed<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

export type OperationPolicies = { readonly [M in ReadMethod]?: Changed<CachePolicy<M>> | false | undefined }
export type Policies = { readonly [M in ReadMethod]: CachePolicy<M> }

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const policy = (ttl: number, staleWhileRevalidate: number, staleIfError: number) =>
  ({ scope: 'account', ttl, staleWhileRevalidate, staleIfError, notFoundTtl: 30_000 } as const)

const items = policy(hour, day, day)
const lists = policy(15 * minute, hour, day)
const searches = policy(5 * minute, hour, day)
const ofUser = policy(minute, 0, hour)

/** Returns the cache time of a play URL in milliseconds: five minutes less than its validity, at most an hour. */
const untilExpiry = ({ url }: DataOf<'getTrackUrl'>) =>
  Math.min((urlExpiry(url) ?? 0) - Date.now() - 5 * minute, hour)

export const defaultPolicies: Policies = {
  getTrackDetail: items,
  getAlbumDetail: items,
  getArtistDetail: items,
  getArtistTracks: items,
  getArtistAlbums: items,
  getSimilarTracks: items,
  getTrackLyrics: policy(day, 7 * day, 7 * day),
  getPlaylists: lists,
  getPlaylistCategories: lists,
  getRecommendedPlaylist: lists,
  getToplist: lists,
  getToplistTracks: lists,
  getNewTracks: lists,
  getTopArtists: lists,
  getPlaylistDetail: searches,
  searchTracks: searches,
  searchArtists: searches,
  searchAlbums: searches,
  searchPlaylists: searches,
  searchSuggest: policy(minute, 10 * minute, hour),
  getDailyTracks: policy(15 * minute, 0, day),
  getUserMe: ofUser,
  getUserPlaylist: ofUser,
  userFavoriteTracks: ofUser,
  userArtists: ofUser,
  userAlbums: ofUser,
  getTrackUrl: { ...policy(0, 0, 0), ttl: untilExpiry },
  getRoamTracks: { ...policy(0, 0, 0), scope: 'none' }
}
