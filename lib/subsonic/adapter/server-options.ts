import { invalidOption, unknownOption } from '../../contract/author-errors.ts'
import { isObject } from '../../contract/is-object.ts'
import { longestTimeout } from '../../contract/longest-timeout.ts'
import { didYouMean } from '../../did-you-mean.ts'
import type { Upstream } from '../../upstream/index.ts'

/** What the server can convert to: kbit/s of the qualities `high` and `standard`. */
export interface Transcoding { high: number, standard: number, format: string }

/** Options of `subsonicServer`. They are never changed, so frozen ones work. */
export interface SubsonicServerOptions {
  /** Address of the server, http or https, with or without `/rest` at the end. Required. */
  url: string
  /** With `password`, or `apiKey` instead of both. */
  username?: string
  password?: string
  apiKey?: string
  /**
   * How the password is sent: as a salted digest, as it is, or the first and then the other where the server refuses
   * it. Default: `'auto'`.
   */
  auth?: 'auto' | 'token' | 'password'
  /** Name that the server sees. Default: `'fastify-source-origin'`. */
  client?: string
  /** Milliseconds for one attempt. Default: 15000. */
  timeout?: number
  /** Calls at once. Default: 6. */
  concurrency?: number
  /**
   * An upstream made by `createUpstream` with this server's address and `/rest` as `baseUrl`. Default: one with the two
   * options above.
   */
  upstream?: Upstream
  /** Pixels of covers. Default: 600. */
  coverSize?: number
  /** Whether the server converts, and to what. Default: `'auto'`, which asks it once. */
  transcoding?: 'auto' | false | Transcoding
  /** Of the daily tracks, for example `Europe/Vienna`. Default: UTC. */
  timeZone?: string
}

export type CheckedServerOptions =
  Required<Omit<SubsonicServerOptions, 'username' | 'password' | 'apiKey' | 'upstream'>> &
  Pick<SubsonicServerOptions, 'username' | 'password' | 'apiKey' | 'upstream'>

interface Rule { must: string, holds: (value: unknown) => boolean }

const aText: Rule = { must: 'a text that is not empty', holds: value => typeof value === 'string' && value !== '' }
const whole = (most: number): Rule =>
  ({ must: `a whole number from 1 to ${most}`, holds: value => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most })

const rules: Record<keyof SubsonicServerOptions, Rule> = {
  url: {
    must: 'an http or https URL without credentials, query and fragment',
    holds: value => {
      if (typeof value !== 'string' || !URL.canParse(value) || /[?#]/.test(value)) return false
      const { protocol, username, password } = new URL(value)
      return /^https?:$/.test(protocol) && username + password === ''
    }
  },
  username: aText,
  password: aText,
  apiKey: aText,
  auth: { must: '\'auto\', \'token\' or \'password\'', holds: value => ['auto', 'token', 'password'].includes(value as string) },
  client: aText,
  timeout: whole(longestTimeout),
  concurrency: whole(1000),
  upstream: { must: 'an upstream made by createUpstream', holds: value => isObject(value) && typeof value.for === 'function' },
  coverSize: whole(10_000),
  transcoding: {
    must: '\'auto\', false or an object with high, standard and format',
    holds: value => value === 'auto' || value === false || (isObject(value) && Number(value.high) > 0 && Number(value.standard) > 0 && aText.holds(value.format))
  },
  timeZone: { must: 'the name of a time zone', holds: value => typeof value === 'string' && isTimeZone(value) }
}

function isTimeZone (timeZone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

/** @throws SOURCE_ORIGIN_ERR_INVALID_OPTION, SOURCE_ORIGIN_ERR_UNKNOWN_OPTION: coded errors that name the option */
export function checkServerOptions (options: SubsonicServerOptions): CheckedServerOptions {
  const given: Record<string, unknown> = { ...options }
  for (const name of Object.keys(given)) if (!Object.hasOwn(rules, name)) throw unknownOption(name, didYouMean(name, Object.keys(rules)))
  for (const [name, { must, holds }] of Object.entries(rules)) {
    if ((given[name] !== undefined || name === 'url') && !holds(given[name])) throw invalidOption(name, must)
  }
  if (options.apiKey === undefined && options.username === undefined) throw invalidOption('username', 'given, with password, or apiKey instead')
  if (options.apiKey === undefined && options.password === undefined) throw invalidOption('password', 'given with username')
  return {
    auth: 'auto',
    client: 'fastify-source-origin',
    timeout: 15_000,
    concurrency: 6,
    coverSize: 600,
    transcoding: 'auto',
    timeZone: 'UTC',
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as object,
    url: options.url.replace(/\/$/, '').replace(/\/rest$/, '')
  }
}
