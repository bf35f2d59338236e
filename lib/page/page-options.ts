import type { LogLevel } from 'fastify'
import type { DownloadUrl } from '../media/internal.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import type { AppPasswords } from './register-app-passwords.ts'
import type { SubsonicStore } from '../queue/index.ts'
import type { FilesOf } from './register-files.ts'
import type { Household } from './register-household.ts'
import type { Progress } from './register-progress.ts'
import type { ListenServices } from './register-services.ts'
import { validateSignIn, type PageSignIn } from './sign-in/sign-in-options.ts'
import type { ShownSources } from './register-sources.ts'
import {
  aBoolean, aFunction, anObject, aPrefix, aPublicUrl, aStore, aString, hasMethods
} from '../options/member-rules.ts'

/** Options of the page. They are never modified, so frozen objects work. */
export interface SourcePageOptions {
  /** The display name of the source. Default: `Source origin`. */
  title?: string | undefined
  /** The path of the page, below the prefix. Default: `/`. */
  path?: string | undefined
  /**
   * If `true`, the page has the view *For authors*: forms for every operation, and the check. Default:
   * `process.env.NODE_ENV !== 'production'`.
   */
  inspector?: boolean | undefined
  /**
   * If `true`, the API reference is served at `docs` beside the page. It requires the package `@fastify/swagger-ui`.
   * Default: `false`.
   */
  docs?: boolean | undefined
  /** Returns the download URL of a track, album, artist or playlist. Default: no downloads. */
  downloadUrl?: DownloadUrl | undefined
  /**
   * Returns the URL of a cover in another size, for covers that this server scales itself. Default: the page's route
   * scales them.
   */
  resizeCover?: ((url: string, pixels: number) => string) | undefined
  /** Returns the progress of reading files. Default: no progress is shown. */
  progress?: Progress | undefined
  /**
   * The accounts, created by `createAccounts`: users signed in with one of their tokens create, list and revoke app
   * passwords. `false` = none. Default: none; with `serveSource` its `accounts`, if they have a `secret` and Subsonic
   * apps log in to them.
   */
  appPasswords?: AppPasswords | false | undefined
  /**
   * The sign-in with a provider of OpenID Connect, or with a trusted header. It requires `appPasswords`. Default: only
   * tokens and links.
   */
  signIn?: PageSignIn | undefined
  /** The URL below which browsers reach the page, without a trailing slash. Default: the URL of each request. */
  publicUrl?: string | undefined
  /** Scrobbling services that an account connects itself. Default: none. */
  services?: ListenServices | undefined
  /** Returns the sources of a combination, for the account of its operator. Default: none. */
  sources?: ShownSources | undefined
  /** Manages the accounts and shows the state of the server, for the account of its operator. Default: none. */
  household?: Household | undefined
  /** Returns the paths of the files, for accounts that may see them. Default: no account may. */
  files?: FilesOf | undefined
  /** The store of the accounts' queues. Default: the store of the Subsonic plugin, else a store in memory. */
  store?: SubsonicStore | undefined
  /** Fastify's own options of `register`. The page uses the source with the same prefix. */
  prefix?: string
  logLevel?: LogLevel
}

const isPath = (value: unknown) => typeof value === 'string' && /^\/(?:[\w.~-]+\/)*(?:[\w.~-]+)?$/.test(value)

const areAccounts = hasMethods('find', 'issueAppPassword', 'list', 'revoke')
const appPasswordsRule: MemberRule = {
  must: 'accounts made by createAccounts with the option secret, or false',
  holds: value => value === false || (areAccounts(value) && (value as AppPasswords).hasSecret)
}

const householdMethods = [
  'isManagedBy', 'list', 'add', 'link', 'limit', 'revoke', 'count', 'remove', 'details', 'run', 'server'
] as const satisfies readonly (keyof Household)[]

const rules = optional({
  title: {
    must: 'a text that is not blank', holds: (value: unknown) => typeof value === 'string' && value.trim() !== ''
  },
  path: { must: 'a path that starts with /, of letters, digits and . _ ~ - between the slashes', holds: isPath },
  inspector: aBoolean,
  docs: aBoolean,
  downloadUrl: aFunction,
  resizeCover: aFunction,
  progress: aFunction,
  files: aFunction,
  appPasswords: appPasswordsRule,
  signIn: anObject,
  publicUrl: aPublicUrl,
  sources: aFunction,
  household: {
    must: `an object with the methods ${householdMethods.join(', ')}`, holds: hasMethods(...householdMethods)
  },
  services: {
    must: 'an object with the methods list, connect, disconnect', holds: hasMethods('list', 'connect', 'disconnect')
  },
  store: aStore,
  prefix: aPrefix,
  logLevel: aString
} satisfies Record<keyof SourcePageOptions, unknown>)

export interface ValidPageOptions {
  readonly title: string
  readonly path: string
  readonly inspector: boolean
  readonly docs: boolean
  readonly downloadUrl: DownloadUrl | undefined
  readonly resizeCover: (url: string, pixels: number) => string
  readonly progress: Progress | undefined
  readonly appPasswords: AppPasswords | false
  readonly signIn: PageSignIn
  readonly publicUrl: string | undefined
  readonly services: ListenServices | undefined
  readonly sources: ShownSources | undefined
  readonly household: Household | undefined
  readonly files: FilesOf
  readonly store: SubsonicStore | undefined
}

/**
 * Returns the options with their defaults; `path` ends with a slash.
 *
 * @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option
 */
export function validatePageOptions (options: SourcePageOptions): ValidPageOptions {
  validateMembers(options, rules)
  if (options.signIn !== undefined) validateSignIn(options.signIn)
  const {
    title = 'Source origin', path = '/', inspector = process.env.NODE_ENV !== 'production', docs = false, downloadUrl,
    resizeCover = (url: string) => url, progress, appPasswords = false, signIn = {}, publicUrl,
    services, sources, household,
    files = () => undefined, store
  } = options
  return {
    title,
    path: path.replace(/\/?$/, '/'),
    inspector,
    docs,
    downloadUrl,
    resizeCover,
    progress,
    appPasswords,
    signIn,
    publicUrl,
    services,
    sources,
    household,
    files,
    store
  }
}
