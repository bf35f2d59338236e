import type { FastifyPluginOptions, FastifyRequest, LogLevel } from 'fastify'
import type { Playlist } from '../../schemas/index.ts'
import { allAtOnce } from '../options/at-once.ts'
import { validateMembers, optional, type MemberRule, type Rules } from '../options/validate-members.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { longestTimeout } from '../async/longest-timeout.ts'
import {
  aBoolean, aFunction, anObject, aPrefix, aPublicUrl, aString, aText, aTranscoder, hasMethods, leftOut, ofLibrary
} from '../options/member-rules.ts'
import { times } from '../library/internal.ts'
import type { TranscodedPart, Transcoder, TranscodeProfile } from '../media/index.ts'
import type { DownloadUrl } from '../media/internal.ts'
import { isHostPattern } from '../text/host-list.ts'
import { passwordAsAuthorization, type ResolveLogin } from './read-login.ts'
import { memoryStore, type SubsonicStore } from './memory-store.ts'

/** `type` of every answer. */
export const serverType = 'fastify-source-origin'

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
   * What people read as the name of the music folder, and as the owner of lists that are nobody's. Default:
   * `fastify-source-origin`.
   */
  title?: string | undefined
  /** The seconds after which the generated library of a source without a library is read again. Default: 600. */
  limits?: { ttl?: number }
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
  /** The URL of a picture in a size, in pixels, for upstreams whose URLs know sizes. Default: pictures as they are. */
  resizeCover?: (url: string, pixels: number) => string
  /**
   * Where something is saved from, with a name: `download` redirects there. `undefined`: there is nothing more than the
   * audio of tracks. Default: tracks are sent as they are, and nothing else is.
   */
  downloadUrl?: DownloadUrl
  /**
   * Converts audio that an app wants in another format, with fewer bits, or from a time on: made by `createTranscoder`.
   * Default: audio is sent as it is.
   */
  transcoder?: Pick<Transcoder, 'formats' | 'send'> | undefined
  /**
   * The URL of audio that its own server transcodes (`transcodedUrl`); `undefined` for others, which this server
   * fetches and transcodes. Default: all of them.
   */
  transcodedUrl?: (url: string, profile: TranscodeProfile, part: TranscodedPart) => string | undefined
  /**
   * If `true`, media are fetched from private addresses and over http too; of a list of hosts, written as in `hosts`,
   * from these. Default: `false`.
   */
  allowPrivate?: boolean | readonly string[]
  /** Hosts that media are fetched from: `'name'`, `'name:port'` or `'*.name'`. Default: all. */
  hosts?: readonly string[]
  /** Keeps play queues, bookmarks, ratings and plays. Default: one in memory. */
  store?: SubsonicStore
  /** Fastify's own option of `register`. */
  logLevel?: LogLevel
  /** Fastify's own option of `register`; `req` is ours. */
  logSerializers?: FastifyPluginOptions['logSerializers']
}

export interface ValidOptions extends
  Required<Pick<SubsonicOptions, 'media' | 'allowPrivate' | 'store'>>,
  Pick<SubsonicOptions, 'publicUrl' | 'resizeCover' | 'hosts' | 'downloadUrl' | 'transcoder' | 'transcodedUrl'> {
  resolveLogin: ResolveLogin
  hasLogin: boolean
  title: string
  limits: { readonly ttl: number }
  lists: Required<NonNullable<SubsonicOptions['lists']>>
}

const defaultLists = { daily: true, toplists: true, recommended: true }

/** Of what timers can wait. */
const mostSeconds = Math.floor(longestTimeout / 1000)
const seconds: MemberRule = {
  must: `a number of seconds above 0, ${mostSeconds} at most`,
  holds: value => typeof value === 'number' && value > 0 && value <= mostSeconds
}

const areHosts = (value: unknown) => Array.isArray(value) && value.every(isHostPattern)

const rules: Record<keyof SubsonicOptions, MemberRule> = {
  resolveLogin: aFunction,
  prefix: aPrefix,
  publicUrl: aPublicUrl,
  title: aText,
  limits: anObject,
  lists: anObject,
  media: {
    must: '\'auto\', \'proxy\', \'redirect\' or a function',
    holds: value => ['auto', 'proxy', 'redirect'].includes(value as string) || typeof value === 'function'
  },
  resizeCover: aFunction,
  downloadUrl: aFunction,
  transcoder: aTranscoder,
  transcodedUrl: aFunction,
  allowPrivate: {
    must: 'a boolean or a list of names of hosts', holds: value => typeof value === 'boolean' || areHosts(value)
  },
  hosts: { must: 'a list of names of hosts', holds: areHosts },
  store: { must: 'an object with the functions get and change', holds: hasMethods('get', 'change') },
  logLevel: aString,
  logSerializers: anObject
}

const goneRules: Rules = {
  library: leftOut(ofLibrary),
  sharedLibrary: leftOut(ofLibrary),
  tracksByIds: leftOut(`items of ${ofLibrary}`),
  trackIds: leftOut(`ids of ${ofLibrary}`),
  currentIds: leftOut(`currentIds of ${ofLibrary}`),
  addedAt: leftOut(`created in the extras that items of ${ofLibrary} have`)
}

const limitRules: Rules = optional({ ttl: seconds })

const listRules: Rules = optional({
  daily: aBoolean,
  toplists: aBoolean,
  recommended: {
    must: 'a boolean or a function', holds: value => typeof value === 'boolean' || typeof value === 'function'
  }
} satisfies Record<keyof ValidOptions['lists'], MemberRule>)

/** The options with their defaults. */
export function validateSubsonicOptions (options: SubsonicOptions): ValidOptions {
  validateMembers(options, optional({ ...rules, ...goneRules }))
  const { prefix, logLevel, logSerializers, ...own } = options
  validateMembers(own.limits ?? {}, limitRules, 'limits')
  validateMembers(own.lists ?? {}, listRules, 'lists')
  const { resizeCover, media, transcodedUrl, lists } = own
  return {
    resolveLogin: passwordAsAuthorization,
    media: 'auto',
    allowPrivate: false,
    store: memoryStore(),
    ...withoutUndefined(own),
    ...allAtOnce({ resizeCover, media, transcodedUrl }),
    hasLogin: own.resolveLogin !== undefined,
    title: own.title ?? serverType,
    limits: { ttl: times.ttl, ...withoutUndefined(own.limits ?? {}) },
    lists: { ...defaultLists, ...withoutUndefined(lists ?? {}), ...allAtOnce({ recommended: lists?.recommended }) }
  }
}
