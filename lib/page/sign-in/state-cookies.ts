import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import type { Encryption } from '../../accounts/index.ts'
import { isObject } from '../../options/is-object.ts'
import type { Checks } from '../../oidc/index.ts'

/** A sign-in that a browser has begun. */
export interface Pending extends Checks {
  readonly at: number
  readonly redirectUri: string
  /** The account of the browser: it is connected with the person, or renewed. */
  readonly account?: string | undefined
  /** The token of the browser; `null` for a fixed token. */
  readonly tokenId?: string | null | undefined
  /** If `true`, the provider asks the person nothing, and a failure is not shown. */
  readonly isSilent: boolean
}

/** The lifetime of a sign-in in milliseconds. */
const lifetime = 600_000
const mostPending = 4
const longestCookie = 4096
const associatedData = 'sign-in state'
const mark = 'source-origin-sign-in-'

const digestOf = (state: string) => createHash('sha256').update(state).digest('base64url').slice(0, 16)
/** Browsers accept a cookie with this prefix only over https, for this host and all paths. */
const prefixOf = (redirectUri: string) => redirectUri.startsWith('https:') ? '__Host-' : ''

function write (reply: FastifyReply, name: string, value: string, seconds: number): void {
  const secure = name.startsWith('__Host-') ? '; Secure' : ''
  reply.header('set-cookie', `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`)
}

/** Returns the cookies of sign-ins by name. */
const cookiesOf = ({ headers }: FastifyRequest): Map<string, string> => new Map((headers.cookie ?? '').split(';')
  .map(pair => pair.trim().split('=') as [string, string?])
  .filter((pair): pair is [string, string] => pair[0].replace('__Host-', '').startsWith(mark) && pair[1] !== undefined))

/** Stores the state of sign-ins in encrypted cookies, so that any replica can finish a sign-in. */
export function stateCookies (encryption: Encryption) {
  function open (value: string): Pending | undefined {
    if (value.length > longestCookie) return undefined
    const text = encryption.decrypt(Buffer.from(value, 'base64url'), associatedData)
    const pending: unknown = text === undefined ? undefined : JSON.parse(text)
    if (!isObject(pending)) return undefined
    const age = Date.now() - Number(pending.at)
    return age < lifetime ? pending as unknown as Pending : undefined
  }

  return {
    /** Adds a sign-in and removes the oldest ones. */
    add (request: FastifyRequest, reply: FastifyReply, pending: Pending): void {
      const known = [...cookiesOf(request)].map(([name, value]) => ({ name, at: open(value)?.at ?? 0 }))
        .sort((one, other) => other.at - one.at)
      for (const [place, { name, at }] of known.entries()) {
        if (at === 0 || place >= mostPending - 1) write(reply, name, '', 0)
      }
      const value = encryption.encrypt(JSON.stringify(pending), associatedData)
      const name = prefixOf(pending.redirectUri) + mark + digestOf(pending.state)
      write(reply, name, Buffer.from(value).toString('base64url'), lifetime / 1000)
    },

    /** Takes the sign-in of a state; `undefined` for a state of another browser, or an old one. */
    take (request: FastifyRequest, reply: FastifyReply, state: string): Pending | undefined {
      const cookies = cookiesOf(request)
      const names = ['__Host-', ''].map(prefix => prefix + mark + digestOf(state)).filter(name => cookies.has(name))
      for (const name of names) write(reply, name, '', 0)
      const pending = names.map(name => open(cookies.get(name)!)).find(pending => pending !== undefined)
      return pending?.state === state ? pending : undefined
    }
  }
}
