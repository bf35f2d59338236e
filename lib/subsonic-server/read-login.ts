import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { tokenMatches } from '../text/token-matches.ts'
import type { Parameters } from './parameters.ts'
import { SubsonicError } from './subsonic-error.ts'

/** A login as passed to `resolveLogin`. */
export interface SubsonicLogin {
  kind: 'password' | 'token' | 'apiKey'
  /** The user name. Absent with `apiKey`. `username`, `client` and `version` are truncated to 100 characters. */
  username?: string | undefined
  /**
   * Returns whether the caller has proved knowledge of a secret: by the password, by `md5(secret + salt)`, or by the
   * API key. Runs in constant time.
   */
  verify: (secret: string) => boolean
  /** The password or the API key, for servers that store only hashes. Absent with a token. */
  secret?: string | undefined
  /** The token and its salt, as sent with a token login. An app may send the same pair again. */
  digest?: string | undefined
  /** The name of the app. `''` if it sends none. */
  client: string
  /** The protocol version of the app. `''` if it sends none. */
  version: string
  request: FastifyRequest
  /** Aborted when the client disconnects or the time limit has passed. */
  signal: AbortSignal
}

/**
 * Converts a login to the authorization for the source's `resolveContext`. `null`, `undefined` and `false` reject it. A
 * thrown `UnauthorizedError` with a `code` from 40 to 44 is sent as that Subsonic error, with its message. `logIn` of
 * `createAccounts` is such a function.
 */
export type ResolveLogin = (login: SubsonicLogin) =>
  string | null | undefined | false | Promise<string | null | undefined | false>

/**
 * The default `resolveLogin`: the password is the source's token. Other kinds of login are rejected, so that apps try
 * the password.
 */
export const passwordAsAuthorization: ResolveLogin = ({ kind, secret }) => {
  if (kind === 'apiKey') throw new SubsonicError(42, 'This server takes no API keys')
  if (secret === undefined) throw new SubsonicError(41, 'This server cannot check tokens: send the password')
  return secret
}

/**
 * Reads the login of a call.
 *
 * @throws SubsonicError 10 for missing parameters, 43 for conflicting ones
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

/** Decodes `enc:` and hexadecimal bytes. Invalid UTF-8 in that form was meant as a plain password. */
function decodePassword (password: string): string {
  const [, hex] = /^enc:((?:[\da-f]{2})+)$/i.exec(password) ?? []
  if (hex === undefined) return password
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(hex, 'hex'))
  } catch {
    return password
  }
}
