import type { FastifyBaseLogger } from 'fastify'
import type { LibraryStore } from '../library/index.ts'
import { validateMembers, optional, type MemberRule, type Rules } from '../options/validate-members.ts'
import { invalidOption } from '../errors/author-errors.ts'
import { isObject } from '../options/is-object.ts'
import { aBaseUrl, aBoolean, anUpstream, aText, wholeNumber } from '../options/member-rules.ts'
import { withoutUndefined } from '../options/without-undefined.ts'
import { withoutTrailingSlashes } from '../text/without-trailing-slashes.ts'
import type { Upstream } from '../upstream/index.ts'

/** The formats that the server can convert to: kbit/s of the qualities `high` and `standard`. */
export interface Transcoding { high: number, standard: number, format: string }

/** Options of `createSubsonicClient`. They are never modified, so frozen objects work. */
export interface SubsonicClientOptions {
  /** The URL of the server, http or https, with or without `/rest` at the end. Required. */
  url: string
  /** The user name, required with `password`. `apiKey` replaces both. */
  username?: string
  password?: string
  apiKey?: string
  /**
   * How the password is sent: as a salted digest (`token`), in clear (`password`), or as a digest first and in clear if
   * the server rejects it (`auto`). Default: `'auto'`.
   */
  auth?: 'auto' | 'token' | 'password'
  /**
   * An upstream created by `createUpstream` with this server's address and `/rest` as `baseUrl`. Default: an upstream
   * with a timeout of 15 seconds per attempt and 6 concurrent calls.
   */
  upstream?: Upstream
  /** The conversion that the server offers. Default: `'auto'`, which detects it once. */
  transcoding?: 'auto' | false | Transcoding
  /** The time zone of the daily tracks, for example `Europe/Vienna`. Default: UTC. */
  timeZone?: string
  /**
   * The options of `library` of the adapters. `false` disables it. Default: the client reads the library on first use
   * and stores it in memory, at most 20,000 tracks.
   */
  library?: false | ServerLibraryOptions
}

/** Options of the library of a server. */
export interface ServerLibraryOptions {
  /** A store that survives a restart, for at most 300,000 tracks. Default: memory. */
  store?: LibraryStore
  /** If `true`, the client reads the library immediately and each night, without a request. Default: `false`. */
  background?: boolean
  log?: Pick<FastifyBaseLogger, 'warn'>
}

export type ValidClientOptions =
  Required<Omit<SubsonicClientOptions, 'username' | 'password' | 'apiKey' | 'upstream'>> &
  Pick<SubsonicClientOptions, 'username' | 'password' | 'apiKey' | 'upstream'>

const rules: Rules = {
  url: aBaseUrl,
  ...optional({
    username: aText,
    password: aText,
    apiKey: aText,
    auth: {
      must: '\'auto\', \'token\' or \'password\'',
      holds: value => ['auto', 'token', 'password'].includes(value as string)
    },
    upstream: anUpstream,
    transcoding: {
      must: '\'auto\', false or an object with high, standard and format',
      holds: value => value === 'auto' || value === false || isObject(value)
    },
    library: { must: 'false or an object', holds: value => value === false || isObject(value) },
    timeZone: { must: 'the name of a time zone', holds: value => typeof value === 'string' && isTimeZone(value) }
  } satisfies Record<Exclude<keyof SubsonicClientOptions, 'url'>, MemberRule>)
}

const defaults = { auth: 'auto', transcoding: 'auto', timeZone: 'UTC', library: {} } as const

const libraryRules: Rules = optional({
  store: { must: 'a LibraryStore', holds: value => isObject(value) && typeof value.replace === 'function' },
  background: aBoolean,
  log: { must: 'a logger', holds: isObject }
} satisfies Record<keyof ServerLibraryOptions, MemberRule>)

const aBitrate = wholeNumber(1, 10_000)
const transcodingRules: Rules =
  { high: aBitrate, standard: aBitrate, format: aText } satisfies Record<keyof Transcoding, MemberRule>

function isTimeZone (timeZone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

export function validateClientOptions (options: SubsonicClientOptions): ValidClientOptions {
  validateMembers(options, rules)
  const { apiKey, username, password, transcoding, library } = options
  if (isObject(library)) validateMembers(library, libraryRules, 'library')
  if (isObject(transcoding)) validateMembers(transcoding, transcodingRules, 'transcoding')
  if (apiKey === undefined && username === undefined) {
    throw invalidOption('username', 'given, with password, or apiKey instead')
  }
  if (apiKey === undefined && password === undefined) throw invalidOption('password', 'given with username')
  const url = withoutTrailingSlashes(withoutTrailingSlashes(options.url).replace(/\/rest$/, ''))
  return { ...defaults, ...withoutUndefined(options), url }
}
