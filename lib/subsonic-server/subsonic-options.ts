import type { FastifyPluginOptions, FastifyRequest, LogLevel } from 'fastify'
import type { Playlist, Track } from '../../schemas/index.ts'
import { allAtOnce } from '../options/at-once.ts'
import { validateMembers, optional, type MemberRule, type Rules } from '../options/validate-members.ts'
import { warnOfRetired } from '../options/warn-of-retired.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { longestTimeout } from '../async/longest-timeout.ts'
import { invalidOption } from '../errors/author-errors.ts'
import type { SourceContext } from '../contract/source-context.ts'
import {
  aBoolean, aFunction, anObject, aPrefix, aPublicUrl, aString, aText, hasMethods, milliseconds, wholeNumber
} from '../options/rules.ts'
import type { DownloadUrl } from '../media/internal.ts'
import { isHostPattern } from '../urls/host-list.ts'
import { passwordAsAuthorization, type ResolveLogin } from './read-login.ts'
import { memoryStore, type SubsonicStore } from './memory-store.ts'
import type { AlbumTracks, Items, SubsonicLibrary } from './subsonic-library.ts'

/** What the library of a source that cannot list itself may cost. */
export interface LibraryLimits {
  artists: number
  albums: number
  tracks: number
  /** Adapter calls for each of its two levels. */
  calls: number
  /** Seconds that it is kept. */
  ttl: number
  /** Milliseconds that a request waits for it. */
  maxWait: number
}

type MediaWay = 'proxy' | 'redirect'

/** Options of the plugin. They are never changed, so frozen ones work. */
export interface SubsonicOptions {
  /**
   * Turns a login into the authorization that the source's `resolveContext` gets. Default: the password is it, and
   * tokens are refused with 41.
   */
  resolveLogin?: ResolveLogin | undefined
  /** Path in front of `/rest`, for example `/music`. Default: none. */
  prefix?: string
  /**
   * Where clients reach this server, or the prefix, without a slash at the end. A redirect to a URL below it is
   * relative, for apps that use another address. Default: where each request went to.
   */
  publicUrl?: string
  /**
   * `type` of every answer. Default: `'fastify-source-origin'`.
   *
   * @deprecated It will be removed in the next version: `title` is what people read.
   */
  name?: string
  /** What people read as the name of the music folder, and as the owner of lists that are nobody's. Default: `name`. */
  title?: string | undefined
  /** The whole source, where it can list itself. Default: what can be found from charts, favourites and playlists. */
  library?: (context: SourceContext, call: { signal: AbortSignal }) => SubsonicLibrary | Promise<SubsonicLibrary>
  /**
   * The tracks of `library` with these ids, 100 at most, in any order and without those that are gone. With it no
   * tracks are kept in memory: each is read when it is shown. Default: all of `library` is kept.
   */
  tracksByIds?: (
    ids: readonly string[], context: SourceContext, call: { signal: AbortSignal }
  ) => readonly Track[] | Promise<readonly Track[]>
  /**
   * Ids of all tracks of `library`, album by album, for a source that reads them by `tracksByIds`. Then `tracks` of
   * `library` are not read: an app that keeps a copy waits for the ids alone. Default: they are read.
   */
  trackIds?: (
    context: SourceContext, call: { signal: AbortSignal }
  ) => Items<AlbumTracks> | Promise<Items<AlbumTracks>>
  /** When the source got something, in Unix milliseconds; asked for each item that is shown. Default: unknown. */
  addedAt?: (kind: 'album' | 'track', id: string, context: SourceContext) => number | undefined
  /**
   * Those of the ids that have become others, with the current ones: what apps keep by an id, such as ratings, stays
   * with what has another one now. Asked whenever that is read. Default: ids stay as they are.
   */
  currentIds?: (kind: 'track' | 'album' | 'artist', ids: readonly string[]) => ReadonlyMap<string, string>
  /**
   * Whether `library` gives all accounts of a `variant` the same, so that one copy serves them all. What it says of
   * favourites is left out: the lists of favourites tell them. Default: false.
   */
  sharedLibrary?: boolean
  /** All but `ttl` will be removed in the next version. */
  limits?: Partial<LibraryLimits>
  /**
   * What is shown as read-only playlists besides the user's own. Default: all. `recommended` may say which: then all
   * that the source recommends are read, and those shown for which it gives true.
   */
  lists?: { daily?: boolean, toplists?: boolean, recommended?: boolean | ((playlist: Playlist) => boolean) }
  /**
   * How audio and pictures come: through this server, or by a redirect to where they are. Default `'auto'`: redirects
   * only to this server's own scheme and host, since many apps follow no others.
   */
  media?: 'auto' | MediaWay | ((url: string, about: { kind: 'audio' | 'cover', request: FastifyRequest }) => MediaWay)
  /**
   * Key of the quality for apps that name no limit. Default: the best of each track.
   *
   * @deprecated It will be removed in the next version.
   */
  quality?: string
  /** The URL of a picture in a size, in pixels, for upstreams whose URLs know sizes. Default: pictures as they are. */
  resizeCover?: (url: string, pixels: number) => string
  /**
   * Where something is saved from, with a name: `download` redirects there. `undefined`: there is nothing more than the
   * audio of tracks. Default: tracks are sent as they are, and nothing else is.
   */
  downloadUrl?: DownloadUrl
  /** Fetch media from private addresses too. Default: false. */
  allowPrivate?: boolean
  /** Hosts that media are fetched from: `'name'`, `'name:port'` or `'*.name'`. Default: all. */
  hosts?: readonly string[]
  /** Keeps play queues, bookmarks, ratings and plays. Default: `memoryStore()`. */
  store?: SubsonicStore
  /** Fastify's own option of `register`. */
  logLevel?: LogLevel
  /** Fastify's own option of `register`; `req` is ours. */
  logSerializers?: FastifyPluginOptions['logSerializers']
}

export interface ValidOptions extends
  Required<Pick<SubsonicOptions, 'name' | 'media' | 'allowPrivate' | 'store' | 'sharedLibrary'>>,
  Pick<SubsonicOptions,
    'publicUrl' | 'library' | 'tracksByIds' | 'trackIds' | 'addedAt' | 'currentIds' | 'quality' | 'resizeCover' |
    'hosts' | 'downloadUrl'
  > {
  resolveLogin: ResolveLogin
  hasLogin: boolean
  title: string
  limits: LibraryLimits
  lists: Required<NonNullable<SubsonicOptions['lists']>>
}

const defaultLimits: LibraryLimits =
  { artists: 2000, albums: 5000, tracks: 20_000, calls: 400, ttl: 600, maxWait: 25_000 }
const defaultLists = { daily: true, toplists: true, recommended: true }

/** Clients change their behaviour for servers of these names. */
const takenNames = ['subsonic', 'madsonic', 'ampache', 'navidrome', 'funkwhale']

const aCount = wholeNumber(1)
/** Of what timers can wait. */
const mostSeconds = Math.floor(longestTimeout / 1000)
const seconds: MemberRule = {
  must: `a number of seconds above 0, ${mostSeconds} at most`,
  holds: value => typeof value === 'number' && value > 0 && value <= mostSeconds
}

const rules: Record<keyof SubsonicOptions, MemberRule> = {
  resolveLogin: aFunction,
  prefix: aPrefix,
  publicUrl: aPublicUrl,
  name: {
    must: `a text, and none of ${takenNames.join(', ')}`,
    holds: value => typeof value === 'string' && value.trim() !== '' && !takenNames.includes(value.trim().toLowerCase())
  },
  title: aText,
  library: aFunction,
  tracksByIds: aFunction,
  trackIds: aFunction,
  addedAt: aFunction,
  currentIds: aFunction,
  sharedLibrary: aBoolean,
  limits: anObject,
  lists: anObject,
  media: {
    must: '\'auto\', \'proxy\', \'redirect\' or a function',
    holds: value => ['auto', 'proxy', 'redirect'].includes(value as string) || typeof value === 'function'
  },
  quality: aText,
  resizeCover: aFunction,
  downloadUrl: aFunction,
  allowPrivate: aBoolean,
  hosts: { must: 'a list of names of hosts', holds: value => Array.isArray(value) && value.every(isHostPattern) },
  store: { must: 'an object with the functions get and change', holds: hasMethods('get', 'change') },
  logLevel: aString,
  logSerializers: anObject
}

const limitRules: Rules = optional({
  artists: aCount,
  albums: aCount,
  tracks: aCount,
  calls: aCount,
  ttl: seconds,
  maxWait: milliseconds(1)
} satisfies Record<keyof LibraryLimits, MemberRule>)

const listRules: Rules = optional({
  daily: aBoolean,
  toplists: aBoolean,
  recommended: {
    must: 'a boolean or a function', holds: value => typeof value === 'boolean' || typeof value === 'function'
  }
} satisfies Record<keyof ValidOptions['lists'], MemberRule>)

/** Options that will be removed in the next version, and what to do instead. */
const retired = {
  name: 'leave it out; title is what people read',
  quality: 'leave it out, and apps that name no limit get the best of each track',
  ...Object.fromEntries(['artists', 'albums', 'tracks', 'calls', 'maxWait'].map(name =>
    [`limits.${name}`, 'leave it out, or give the option library']))
}

/** The options with their defaults. */
export function validateSubsonicOptions (options: SubsonicOptions): ValidOptions {
  validateMembers(options, optional(rules))
  const { prefix, logLevel, logSerializers, ...own } = options
  if (own.library === undefined) {
    if (own.sharedLibrary === true) throw invalidOption('sharedLibrary', 'false, unless there is a library')
    if (own.tracksByIds !== undefined) throw invalidOption('tracksByIds', 'left out, unless there is a library')
  }
  if (own.trackIds !== undefined && own.tracksByIds === undefined) {
    throw invalidOption('trackIds', 'left out, unless there are tracksByIds')
  }
  validateMembers(own.limits ?? {}, limitRules, 'limits')
  validateMembers(own.lists ?? {}, listRules, 'lists')
  warnOfRetired(own, retired, 'subsonic')
  const name = own.name?.trim() ?? 'fastify-source-origin'
  const { addedAt, currentIds, resizeCover, media, lists } = own
  return {
    resolveLogin: passwordAsAuthorization,
    sharedLibrary: false,
    media: 'auto',
    allowPrivate: false,
    store: memoryStore(),
    ...withoutUndefined(own),
    ...allAtOnce({ addedAt, currentIds, resizeCover, media }),
    hasLogin: own.resolveLogin !== undefined,
    name,
    title: own.title ?? name,
    limits: { ...defaultLimits, ...withoutUndefined(own.limits ?? {}) },
    lists: { ...defaultLists, ...withoutUndefined(lists ?? {}), ...allAtOnce({ recommended: lists?.recommended }) }
  }
}
