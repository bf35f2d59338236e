import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { tokenMatches } from '../text/token-matches.ts'
import type { Parameters } from './parameters.ts'
import { SubsonicError } from './subsonic-error.ts'

/** A login as `resolveLogin` gets it. */
export interface SubsonicLogin {
  kind: 'password' | 'token' | 'apiKey'
  /** Absent with `apiKey`; cut at 100 characters, as `client` and `version` are. */
  username?: string | undefined
  /**
   * Whether the caller has proved that it knows this secret: by the password, by `md5(secret + salt)`, or by the API
   * key. In constant time.
   */
  verify: (secret: string) => boolean
  /** The password or the API key, for hosts that keep only hashes; never there with a token. */
  secret?: string | undefined
  /** With a token: what was sent of it, the token and its salt; an app that repeats a login may send the same again. */
  digest?: string | undefined
  /** Name of the app; `''` without. */
  client: string
  /** Version of the protocol that the app speaks; `''` without. */
  version: string
  request: FastifyRequest
  /** Aborted when the client hangs up or the time limit has passed. */
  signal: AbortSignal
}

/**
 * Turns a login into the authorization that the source's `resolveContext` gets; `null`, `undefined` and `false` refuse
 * it. A thrown `UnauthorizedError` with a `code` from 40 to 44 is that error of Subsonic, with its message. `logIn` of
 * `createAccounts` is one.
 */
export type ResolveLogin = (login: SubsonicLogin) =>
  string | null | undefined | false | Promise<string | null | undefined | false>

/**
 * Without `resolveLogin`: the password is the source's own token, and what cannot be turned into it is refused so that
 * apps try the password.
 */
export const passwordAsAuthorization: ResolveLogin = ({ kind, secret }) => {
  if (kind === 'apiKey') throw new SubsonicError(42, 'This server takes no API keys')
  if (secret === undefined) throw new SubsonicError(41, 'This server cannot check tokens: send the password')
  return secret
}

/**
 * The login of a call.
 *
 * @throws SubsonicError 10 for too little, 43 for too much
 */
export function readLogin (parameters: Parameters, request: FastifyRequest, signal: AbortSignal): SubsonicLogin {
  const apiKey = parameters.first('apiKey')
  const password = parameters.first('p')
  const token = parameters.first('t')
  const salt = parameters.first('s')
  const username = parameters.name('u')
  const client = parameters.name('c') ?? ''
  const version = parameters.name('v') ?? ''
  const common = { client, version, request, signal }
  if (apiKey !== undefined) {
    if ([username, password, token, salt].some(given => given !== undefined)) throw conflict()
    return { kind: 'apiKey', secret: apiKey, verify: secret => tokenMatches(secret, apiKey), ...common }
  }
  if (password !== undefined) {
    if (token !== undefined || salt !== undefined) throw conflict()
    if (username !== undefined) {
      const secret = decodePassword(password)
      return { kind: 'password', username, secret, verify: known => tokenMatches(known, secret), ...common }
    }
  }
  if (username === undefined || token === undefined || salt === undefined) {
    throw new SubsonicError(10, 'Required parameters are missing: u and p, or u, t and s, or apiKey')
  }
  const verify = (secret: string) =>
    tokenMatches(createHash('md5').update(secret + salt).digest('hex'), token.toLowerCase())
  return { kind: 'token', username, verify, digest: `${token} ${salt}`, ...common }
}

const conflict = () => new SubsonicError(43, 'Conflicting ways to log in: send apiKey alone, or u and p, or u, t and s')

/** `enc:` and the bytes in hexadecimal; what is no UTF-8 in that form was meant as it stands. */
function decodePassword (password: string): string {
  const [, hex] = /^enc:((?:[\da-f]{2})+)$/i.exec(password) ?? []
  if (hex === undefined) return password
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(hex, 'hex'))
  } catch {
    return password
  }
}
