import type { MemberRule } from '../options/validate-members.ts'
import { optional } from '../options/validate-members.ts'
import { aBoolean, hasMethods, wholeNumber } from '../options/member-rules.ts'

/** What is used of a client of ioredis (5, 6) or iovalkey. */
export interface TriesRedis {
  eval (script: string, keys: number, ...values: (string | number)[]): Promise<unknown>
}

/** What stands in front of a server, with the limits of docs/guide/own-server.md. */
export interface DoorOptions {
  /** `false` = no headers for browsers by `@fastify/helmet`. Default: `true`. */
  headers?: boolean | undefined
  /** `false` = no compression by `@fastify/compress`. Default: `true`. */
  compress?: boolean | undefined
  /** `false` = no limits of requests and connections, with `@fastify/under-pressure`. Default: `true`. */
  load?: boolean | undefined
  /** `false` = no limits of wrong tokens and logins. Default: `true`. */
  tries?: boolean | undefined
  /** Sites whose pages may call, as browsers send them (`https://app.example.com`); `*` = all. Default: none. */
  origins?: '*' | readonly string[] | undefined
  /** Seconds for which browsers use https alone for this name, on all its ports. Default: not said. */
  hsts?: number | undefined
  /** Client of a Redis in which replicas count wrong tokens together. Default: each counts for itself. */
  redis?: TriesRedis | undefined
}

const areOrigins: MemberRule = {
  must: '* or a list of origins',
  holds: value => value === '*' || (Array.isArray(value) && value.every(origin => typeof origin === 'string'))
}

export const doorRules = optional({
  headers: aBoolean,
  compress: aBoolean,
  load: aBoolean,
  tries: aBoolean,
  origins: areOrigins,
  hsts: wholeNumber(0),
  redis: { must: 'a client of ioredis', holds: hasMethods('eval') }
})
