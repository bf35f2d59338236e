import type { FastifyPluginOptions, FastifyRequest, LogLevel } from 'fastify'
import type { Playlist } from '../../schemas/index.ts'
import { allSync } from '../options/require-sync.ts'
import { validateMembers, optional, type MemberRule, type Rules } from '../options/validate-members.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import {
  aBoolean, aFunction, anObject, aPrefix, aPublicUrl, aStore, aString, aText, aTranscoder, milliseconds
} from '../options/member-rules.ts'
import { times } from '../library/internal.ts'
import type { TranscodedPart, Transcoder, TranscodeProfile } from '../media/index.ts'
import type { DownloadUrl } from '../media/internal.ts'
import { isHostPattern } from '../text/host-list.ts'
import { passwordAsAuthorization, type ResolveLogin } from './read-login.ts'
import { memoryStore, type SubsonicStore } from '../queue/index.ts'

/** The `type` of every response. */
export const serverType = 'fastify-source-origin'

type MediaWay = 'proxy' | 'redirect'

/** Options of the plugin. They are never modified, so frozen objects work. */
export interface SubsonicOptions {
  /**
   * Converts a login to the authorization for the source's `resolveContext`. Default: the password is the
   * authorization, and tokens are rejected with code 41.
   */
  resolveLogin?: ResolveLogin | undefined
  /** The path prefix of `/rest`, for example `/music`. Default: none. */
  prefix?: string
  /**
   * The public URL of this server or of the prefix, without a trailing slash. Redirects to URLs below it are relative,
   * for apps that use another address. Default: the address of each request.
   */
  publicUrl?: string
  /**
   * The displayed name of the music folder, and of the owner of lists without one. Default: `fastify-source-origin`.
   */
  title?: string | undefined
  /** The age in milliseconds at which the generated library is read again. Default: 600,000. */
  limits?: { ttl?: number }
  /**
   * The read-only playlists that are shown in addition to the user's playlists. Default: all. `recommended` may be a
   * filter: all recommendations of the source are then read, and those are shown for which it returns `true`.
   */
  lists?: { daily?: boolean, toplists?: boolean, recommended?: boolean | ((playlist: Playlist) => boolean) }
  /**
   * How audio and pictures are sent: through this server, or by a redirect to their location. Default: `'auto'`, which
   * redirects only to this server's scheme and host, since many apps follow no other redirects.
   */
  media?: 'auto' | MediaWay | ((url: string, about: { kind: 'audio' | 'cover', request: FastifyRequest }) => MediaWay)
  /** Returns the URL of a picture in a size in pixels, for upstreams with sized URLs. Default: original pictures. */
  resizeCover?: (url: string, pixels: number) => string
  /**
   * Returns the download URL of an item. `download` redirects to it. `undefined`: only the audio of tracks can be
   * downloaded. Default: original files of tracks only.
   */
  downloadUrl?: DownloadUrl
  /**
   * Converts audio to another format or bitrate, or from a start time. Created by `createTranscoder`. Default: audio is
   * sent unconverted.
   */
  transcoder?: Pick<Transcoder, 'formats' | 'send'> | undefined
  /**
   * Returns the URL of audio that its own server transcodes (`transcodedUrl`); `undefined` for other URLs, which this
   * server loads and transcodes. Default: this server transcodes all.
   */
  transcodedUrl?: (url: string, profile: TranscodeProfile, part: TranscodedPart) => string | undefined
  /**
   * If `true`, media may be loaded over http and from private addresses. A list allows only the listed hosts, in the
   * format of `hosts`. Default: `false`.
   */
  allowPrivate?: boolean | readonly string[]
  /** Hosts that media may be loaded from: `'name'`, `'name:port'` or `'*.name'`. Default: all. */
  hosts?: readonly string[]
  /** The store of play queues, bookmarks, ratings and plays. Default: a store in memory. */
  store?: SubsonicStore
  /** Fastify's own option of `register`. */
  logLevel?: LogLevel
  /** Fastify's own option of `register`. Its `req` is replaced. */
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
  store: aStore,
  logLevel: aString,
  logSerializers: anObject
}

const limitRules: Rules = optional({ ttl: milliseconds(1) })

const listRules: Rules = optional({
  daily: aBoolean,
  toplists: aBoolean,
  recommended: {
    must: 'a boolean or a function', holds: value => typeof value === 'boolean' || typeof value === 'function'
  }
} satisfies Record<keyof ValidOptions['lists'], MemberRule>)

/** Returns the validated options with their defaults. */
export function validateSubsonicOptions (options: SubsonicOptions): ValidOptions {
  validateMembers(options, optional(rules))
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
    ...allSync({ resizeCover, media, transcodedUrl }),
    hasLogin: own.resolveLogin !== undefined,
    title: own.title ?? serverType,
    limits: { ttl: times.ttl, ...withoutUndefined(own.limits ?? {}) },
    lists: { ...defaultLists, ...withoutUndefined(lists ?? {}), ...allSync({ recommended: lists?.recommended }) }
  }
}
