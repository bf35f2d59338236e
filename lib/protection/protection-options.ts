import type { MemberRule } from '../options/validate-members.ts'
import { optional } from '../options/validate-members.ts'
import { aBoolean, hasMethods, wholeNumber } from '../options/member-rules.ts'

/** The methods used of a client of ioredis (5, 6) or iovalkey. */
export interface LoginLimitRedis {
  eval (script: string, keys: number, ...values: (string | number)[]): Promise<unknown>
}

/** The options of the protection of a server, with the limits of docs/operations/hardening.md. */
export interface ProtectionOptions {
  /** If `false`, `@fastify/helmet` is not used and sets no security headers. Default: `true`. */
  headers?: boolean | undefined
  /** If `false`, responses are not compressed by `@fastify/compress`. Default: `true`. */
  compress?: boolean | undefined
  /**
   * If `false`, requests and connections are not limited, and `@fastify/under-pressure` is not used. Default: `true`.
   */
  load?: boolean | undefined
  /** If `false`, wrong tokens and logins are not limited. Default: `true`. */
  loginLimit?: boolean | undefined
  /** The allowed CORS origins, in the form that browsers send (`https://app.example.com`); `*` = all. Default: none. */
  origins?: '*' | readonly string[] | undefined
  /**
   * The `max-age` of HSTS in seconds: browsers use only https for this host name, on all its ports. Default: header not
   * sent.
   */
  hstsSeconds?: number | undefined
  /**
   * The client of a Redis in which all replicas count wrong tokens together. Default: each replica counts separately.
   */
  redis?: LoginLimitRedis | undefined
}

/** Returns whether a value is an origin as browsers send it. */
const isOrigin = (value: unknown) =>
  typeof value === 'string' && /^(?:null|[a-z][a-z\d+.-]*:\/\/[^/?#@\sA-Z]+)$/.test(value)

const areOrigins: MemberRule = {
  must: '* or a list of origins in lower case without a path or a slash at the end, such as https://app.example.com',
  holds: value => value === '*' || (Array.isArray(value) && value.every(isOrigin))
}

export const protectionRules = optional({
  headers: aBoolean,
  compress: aBoolean,
  load: aBoolean,
  loginLimit: aBoolean,
  origins: areOrigins,
  hstsSeconds: wholeNumber(0),
  redis: { must: 'a client of ioredis', holds: hasMethods('eval') }
})
