import { Type, type Static, type TSchema, type TString } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import fastify from 'fastify'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readOrigins } from './read-origins.ts'
import { StartError } from './start-error.ts'

/** Checks whether a function returns a truthy value without an error. */
function holds (look: () => unknown): boolean {
  try {
    return Boolean(look())
  } catch {
    return false
  }
}

/** Checks the URL of Redis. ioredis decodes the login, and would use database 0 if the path is not a number. */
function isRedis (text: string): boolean {
  const { protocol, host, pathname, username, password } = new URL(text)
  decodeURIComponent(username + password)
  return /^rediss?:$/.test(protocol) && host !== '' && /^\/?\d*$/.test(pathname)
}

/** Checks whether a file or a package exists, in the order in which fastify-cli looks for them. */
const isModule = (text: string): boolean => existsSync(text) || existsSync(fileURLToPath(import.meta.resolve(text)))

const areProxies = (text: string): boolean => fastify({ trustProxy: text }) !== undefined

const areNetworks = (text: string): boolean => networksIn(text).every(network =>
  network === 'unix' || (network.includes('/') ? areProxies(network) : isIP(network) !== 0))
const networksIn = (text: string): string[] => text.split(',').map(network => network.trim())

/** Returns the addresses of the proxies that may send `PROXY_USER_HEADER`. */
export const proxiesOf = ({ PROXY_USER_FROM }: Pick<Settings, 'PROXY_USER_FROM'>): string[] =>
  networksIn(PROXY_USER_FROM)

function isIssuer (text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return !/[?#@]/.test(text) &&
    (protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)))
}

const isUrl = (text: string): boolean => URL.canParse(text)

const trueOrFalse = [Type.Literal('true'), Type.Literal('false')] as const
const TrueOrFalse = () => Type.Union([...trueOrFalse], { default: 'false', description: 'true or false' })

const Port = (options: { default?: number }) =>
  Type.Integer({ ...options, minimum: 0, maximum: 65535, description: 'a port number' })

const Url = (url: string) => Type.String({
  default: url,
  accepts: isUrl,
  pattern: '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$',
  description: 'an http or https URL without a login or a query'
})

const Key = (description: string) => Type.String({ default: '', pattern: '^[!-~]*$', description })

/** Returns the settings of another source: a Subsonic server, or a source of this protocol. */
function otherSources<S extends string> (suffix: S) {
  const settings = {
    [`SUBSONIC_URL${suffix}`]: Url(''),
    [`SUBSONIC_USER${suffix}`]: Type.String({ default: '', description: 'a name at the server' }),
    [`SUBSONIC_PASSWORD${suffix}`]: Type.String({ default: '', description: 'a password at the server' }),
    [`SOURCE_URL${suffix}`]: Url(''),
    [`SOURCE_TOKEN${suffix}`]: Key('a token that the source knows')
  }
  return settings as Record<`${keyof OtherSource}${S}`, TString>
}

/** The settings of one other source, without a number in their names. */
interface OtherSource {
  SUBSONIC_URL: string
  SUBSONIC_USER: string
  SUBSONIC_PASSWORD: string
  SOURCE_URL: string
  SOURCE_TOKEN: string
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/**
 * All settings of the example. A description completes "must be" in the error message about a wrong value.
 */
const schema = Type.Object({
  NODE_ENV: Type.Union([Type.Literal('production'), Type.Literal('development'), Type.Literal('test')], {
    default: 'development',
    description: 'production, development or test'
  }),
  LOG_LEVEL: Type.Union(levels.map(level => Type.Literal(level)), {
    default: 'info',
    description: levels.join(', ')
  }),
  PORT: Port({ default: 3000 }),
  MUSIC_DIR: Type.String({ default: 'example/music', description: 'a folder of audio files' }),
  ...otherSources(''),
  ...otherSources('_2'),
  ...otherSources('_3'),
  SCAN_INTERVAL: Type.Integer({
    default: 15 * 60,
    minimum: 0,
    maximum: 7 * 24 * 60 * 60,
    description: 'a number of seconds, a week at most, or 0 for never'
  }),
  DATA_DIR: Type.String({ default: 'data', description: 'a folder that the source may write to' }),
  DATABASE_URL: Type.String({
    default: '',
    pattern: '^(postgres(ql)?://\\S+)?$',
    description: 'a URL that begins with postgresql://'
  }),
  // Sessions of accounts use at most four connections.
  DATABASE_CONNECTIONS: Type.Integer({
    default: 10,
    minimum: 5,
    maximum: 1000,
    description: 'a number from 5 to 1000'
  }),
  REDIS_URL: Type.String({
    default: '',
    accepts: isRedis,
    description: 'a URL that begins with redis://, with the number of a database or without'
  }),
  STATELESS: TrueOrFalse(),
  SOURCE_API_TOKEN: Type.String({
    default: '',
    pattern: '^([!-~]([ -~]*[!-~])?)?$',
    description: 'ASCII text that an Authorization header can carry'
  }),
  PUBLIC_URL: Type.String({
    default: '',
    accepts: isUrl,
    pattern: '^(https?://[^/?#\\s]+(/[^?#\\s]*)?)?$',
    description: 'an http or https URL without a query'
  }),
  METRICS_TOKEN: Type.String({
    default: '',
    pattern: '^[!-~]*$',
    description: 'ASCII text without spaces'
  }),
  METRICS_ADDRESS: Type.String({
    default: '',
    accepts: (text: string) => URL.canParse(`http://${text}`),
    pattern: '^(([^:/\\s]+|\\[[0-9a-fA-F:.]+\\]):\\d{1,5})?$',
    description: 'an address and a port, such as 127.0.0.1:9464'
  }),
  MEDIA_TTL: Type.Integer({
    default: 6 * 60 * 60,
    minimum: 1,
    maximum: 365 * 24 * 60 * 60,
    description: 'a number of seconds, a year at most'
  }),
  SHUTDOWN_DELAY: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 600,
    description: 'a number of seconds, 600 at most'
  }),
  CORS_ORIGIN: Type.String({
    default: '',
    accepts: (text: string) => readOrigins(text) !== undefined,
    description: 'origins as browsers send them (https://app.example.com, capacitor://localhost), with commas, or *'
  }),
  HSTS_MAX_AGE: Type.String({
    default: '',
    pattern: '^\\d{0,9}$',
    description: 'a number of seconds'
  }),
  PAGE: Type.Union([Type.Literal(''), ...trueOrFalse], { default: '', description: 'true or false' }),
  GENRE_PLAYLISTS: TrueOrFalse(),
  TRANSCODING: Type.Union([Type.Literal(''), ...trueOrFalse], { default: '', description: 'true or false' }),
  TRANSCODED_DIR: Type.String({ default: '', description: 'a folder that the source may write to' }),
  TRANSCODED_SIZE: Type.Integer({
    default: 1024, minimum: 64, maximum: 10_000_000, description: 'a number of MiB, 64 or more'
  }),
  LISTENBRAINZ_URL: Url('https://api.listenbrainz.org'),
  LASTFM_URL: Url('https://ws.audioscrobbler.com/2.0'),
  LASTFM_API_KEY: Key('the API key of an application of Last.fm'),
  LASTFM_SECRET: Key('the shared secret of that application'),
  PAGE_TITLE: Type.String({ default: 'Music', description: 'a name for people' }),
  OIDC_ISSUER: Type.String({
    default: '',
    accepts: isIssuer,
    description: 'the https URL of a provider of OpenID Connect, or an http URL of this machine'
  }),
  OIDC_CLIENT_ID: Type.String({ default: '', description: 'the id of this source at the provider' }),
  OIDC_CLIENT_SECRET: Type.String({ default: '', description: 'the secret of this source at the provider' }),
  OIDC_LABEL: Type.String({ default: 'OpenID Connect', description: 'a name for people' }),
  OIDC_SCOPE: Type.String({
    default: 'openid profile', pattern: '^(.* )?openid( .*)?$', description: 'scopes with openid'
  }),
  OIDC_GROUPS_CLAIM: Type.String({ default: 'groups', description: 'the name of a claim' }),
  OIDC_GROUP: Type.String({ default: '', description: 'the name of a group' }),
  OIDC_OWNER_GROUP: Type.String({ default: '', description: 'the name of a group' }),
  OIDC_NEW_ACCOUNTS: TrueOrFalse(),
  PROXY_USER_HEADER: Type.String({
    default: '', pattern: '^[A-Za-z0-9-]*$', description: 'the name of a header, such as Remote-User'
  }),
  PROXY_USER_FROM: Type.String({
    default: '',
    accepts: areNetworks,
    description: 'addresses and networks with commas between them, or unix'
  }),
  PROXY_USER_SECRET: Type.String({
    default: '',
    pattern: '^([A-Za-z0-9-]+: *[!-~]{16,})?$',
    description: 'the name of a header, a colon and a secret of 16 characters or more'
  }),
  // The following settings are for fastify-cli, which does not check them. A wrong boolean counts as false, and other
  // wrong values end it with a stack trace. fastify-cli reads FASTIFY_CONFIG, FASTIFY_REQUIRE and FASTIFY_IMPORT before
  // it loads the example, so they cannot be checked here.
  FASTIFY_TRUST_PROXY_ENABLED: TrueOrFalse(),
  FASTIFY_TRUST_PROXY_IPS: Type.String({
    default: '',
    accepts: areProxies,
    description: 'addresses and networks with commas between them, such as 127.0.0.1,10.0.0.0/8'
  }),
  FASTIFY_TRUST_PROXY_HOP: Type.Integer({ default: 0, minimum: 0, maximum: 1000, description: 'a number of proxies' }),
  FASTIFY_BODY_LIMIT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'a number of bytes'
  }),
  FASTIFY_PREFIX: Type.String({
    default: '',
    pattern: '^[^\\s:*?#%()\\\\]*$',
    description: 'a path, such as /music'
  }),
  FASTIFY_PORT: Type.Optional(Port({})),
  FASTIFY_LOGGING_MODULE: Type.String({
    default: '',
    accepts: isModule,
    description: 'a file or a package that is there'
  })
})

/** The suffixes of the names of other sources' settings. */
export const otherSuffixes = ['', '_2', '_3'] as const

/** Checks whether people can sign in with a provider or with a header of a proxy. */
export const hasSignIn = (settings: Settings): boolean =>
  settings.OIDC_ISSUER !== '' || settings.PROXY_USER_HEADER !== ''

/** The settings that a setting needs. */
const needed = {
  OIDC_ISSUER: 'OIDC_CLIENT_ID', OIDC_CLIENT_ID: 'OIDC_ISSUER', PROXY_USER_HEADER: 'PROXY_USER_FROM'
} as const

/** Checks whether other sources are configured in addition to the folder. */
export const hasOthers = (settings: Settings): boolean => otherSuffixes.some(suffix =>
  settings[`SUBSONIC_URL${suffix}`] !== '' || settings[`SOURCE_URL${suffix}`] !== '')

export const settingNames: readonly string[] = Object.keys(schema.properties)

const valueOf = ({ type }: TSchema, text: string): string | number => type === 'integer' ? Number(text) : text

const isRight = (rule: TSchema, text: string): boolean =>
  Value.Check(rule, valueOf(rule, text)) && (rule.accepts === undefined || holds(() => rule.accepts(text)))

/** The minimum length of a token in production, in characters. */
const shortestToken = 16

/** The settings with their defaults. Paths of folders are absolute. `PUBLIC_URL` has no trailing slash. */
export type Settings = Static<typeof schema>

/**
 * Reads the settings. A blank variable counts as not set. A relative folder that the user has set is resolved from the
 * folder in which the user has called npm (`INIT_CWD`). A default folder is resolved from the current folder of
 * fastify-cli, which is the project's root.
 *
 * @throws StartError with one line for each wrong setting, without its value, which may be a secret
 */
export function readSettings (env: NodeJS.ProcessEnv): Settings {
  const given = Object.entries<TSchema>(schema.properties)
    .flatMap(([name, rule]) => env[name]?.trim() ? [{ name, rule, text: env[name] }] : [])
  const wrong = given.filter(({ rule, text }) => !isRight(rule, text))
  if (wrong.length > 0) {
    throw new StartError(wrong.map(({ name, rule }) => `${name} must be ${rule.description}`).join('\n'))
  }
  const read = Object.fromEntries(given.map(({ name, rule, text }) => [name, valueOf(rule, text)]))
  const settings = Value.Default(schema, { ...read }) as Settings
  const short = (['SOURCE_API_TOKEN', 'METRICS_TOKEN'] as const)
    .filter(name => settings[name] !== '' && settings[name].length < shortestToken)
  if (settings.NODE_ENV === 'production' && short.length > 0) {
    throw new StartError(short.map(name =>
      `${name} must have ${shortestToken} characters at least: openssl rand -hex 32 makes one`).join('\n'))
  }
  for (const suffix of otherSuffixes) {
    const login = [settings[`SUBSONIC_USER${suffix}`], settings[`SUBSONIC_PASSWORD${suffix}`]]
    if (settings[`SUBSONIC_URL${suffix}`] !== '' && login.includes('')) {
      throw new StartError(`SUBSONIC_URL${suffix} needs SUBSONIC_USER${suffix} and SUBSONIC_PASSWORD${suffix}`)
    }
    if (settings[`SOURCE_URL${suffix}`] !== '' && settings[`SOURCE_TOKEN${suffix}`] === '') {
      throw new StartError(`SOURCE_URL${suffix} needs SOURCE_TOKEN${suffix}`)
    }
  }
  for (const [name, other] of Object.entries(needed) as [keyof typeof needed, typeof needed[keyof typeof needed]][]) {
    if (settings[name] !== '' && settings[other] === '') throw new StartError(`${name} needs ${other}`)
  }
  if (hasSignIn(settings) && settings.STATELESS === 'true') {
    throw new StartError('OIDC_ISSUER and PROXY_USER_HEADER need accounts, so STATELESS must be false')
  }
  const folder = (name: 'MUSIC_DIR' | 'DATA_DIR' | 'TRANSCODED_DIR') =>
    name in read ? resolve(env.INIT_CWD ?? '', settings[name]) : resolve(settings[name])
  return {
    ...settings,
    MUSIC_DIR: folder('MUSIC_DIR'),
    DATA_DIR: folder('DATA_DIR'),
    TRANSCODED_DIR: settings.TRANSCODED_DIR && folder('TRANSCODED_DIR'),
    PUBLIC_URL: settings.PUBLIC_URL.replace(/(?<!\/)\/+$/, '')
  }
}
