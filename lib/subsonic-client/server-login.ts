import { createHash, randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { addressOf, isPublicAddress } from '../text/is-public-address.ts'
import { codeOf } from './read-failure.ts'
import type { ValidClientOptions } from './client-options.ts'
import { textOf, type Given } from './tolerate.ts'

type Value = string | number | boolean | undefined
export type Query = Readonly<Record<string, Value | readonly Value[]>>

/** The client name sent with each call. */
const clientName = 'fastify-source-origin'

/** The login form of a call, to which a rejection refers. */
interface Way {
  readonly version: string
  readonly byToken: boolean
  /** Whether the password was sent only because it may be a token of a source of this package. */
  readonly isGuess?: boolean
}

/** The login at a server: the protocol version, and the accepted form of the password. */
export class ServerLogin {
  readonly #options: ValidClientOptions
  #way: Way

  constructor (options: ValidClientOptions) {
    this.#options = options
    this.#way = { version: '1.16.1', byToken: options.auth !== 'password' }
  }

  /** The current login form. */
  get way (): Way { return this.#way }

  /** Returns a query with the login, with a new salt for each call. */
  write (query: Query): string {
    const { username = '', password = '', apiKey } = this.#options
    const { version, byToken } = this.#way
    const salt = randomBytes(8).toString('hex')
    const login = apiKey !== undefined
      ? { apiKey }
      : byToken
        ? { u: username, t: createHash('md5').update(password + salt).digest('hex'), s: salt }
        : { u: username, p: `enc:${Buffer.from(password).toString('hex')}` }
    const text = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...login, v: version, c: clientName, ...query })) {
      for (const item of [value].flat()) if (item !== undefined) text.append(name, String(item))
    }
    return String(text)
  }

  /**
   * Changes the login form of all later calls, if a rejection shows another accepted form.
   *
   * @param used the login form of the rejected call
   * @returns whether the call may succeed now
   */
  changeAfter (method: string, envelope: Given, used: Way, log: Pick<FastifyBaseLogger, 'warn'> | undefined): boolean {
    const code = codeOf(envelope)
    const version = textOf(envelope.version)
    if (code === 30 && /^\d+\.\d+/.test(version) && version !== used.version) {
      this.#way = { ...this.#way, version }
      return true
    }
    const { auth, apiKey, url } = this.#options
    if (auth !== 'auto' || apiKey !== undefined) return false
    if (!used.byToken) {
      // The next call begins with a digest again, so that a wrong password is not sent each time.
      if (code === 40 && used.isGuess) this.#way = { ...this.#way, byToken: true }
      return false
    }
    // For other methods, 10 means a parameter of the method.
    const refusesTokens = code === 41 || code === 42 || (code === 10 && method === 'ping')
    // A source of this package stores only hashes of its tokens, so it cannot check their digest.
    const mayBeOurToken = code === 40 && textOf(envelope.type) === clientName && !isPublic(url)
    if (!refusesTokens && !mayBeOurToken) return false
    if (this.#way.byToken && isPublic(url)) {
      log?.warn({ hint: 'Use https: this server accepts no tokens' }, 'password sent over http')
    }
    this.#way = { ...this.#way, byToken: false, isGuess: mayBeOurToken }
    return true
  }
}

/** Returns whether a password over http would leave the local network. */
function isPublic (url: string): boolean {
  const { protocol, hostname } = new URL(url)
  const address = addressOf(hostname)
  if (protocol !== 'http:') return false
  if (address !== undefined) return isPublicAddress(address)
  return hostname.includes('.') && !/\.(local|lan|home|internal|home\.arpa)$/.test(hostname)
}
