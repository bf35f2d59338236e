import type { FastifyInstance } from 'fastify'
import type { ProtectionOptions } from '../protection/index.ts'
import { optionGivenTwice } from '../errors/author-errors.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { isObject } from '../options/is-object.ts'
import { aBoolean, aText, milliseconds } from '../options/member-rules.ts'
import { requestIds } from './request-ids.ts'
import { endStreams } from './end-streams.ts'
import { inOption } from './in-option.ts'
import { writeRuntimeFile } from './runtime-file.ts'
import { readiness, type ReadinessOptions } from './readiness.ts'

/** Options for the end of connections when a server closes. */
export interface ShutdownOptions {
  /** The time limit of running requests in milliseconds. Default: 8000. */
  timeout?: number | undefined
}

/** Options of the file with the address and token of a running server. */
export interface RuntimeFileOptions {
  /** The token that callers send in their `Authorization` header. Required. */
  token: string
  /** The folder of the file, created if it is missing. Required. */
  dataDir: string
}

/**
 * Options for all routes of a server, including routes outside the source. If a server has several sources, set them on
 * the first source, and register it before other routes.
 */
export interface ServerParts {
  /**
   * If `true`, removes URL queries from the log, like `withoutQueries`, because they contain logins and signatures.
   * Default: `false`.
   */
  withoutQueries?: boolean | undefined
  /**
   * If `true`, sends the id of each request, which is also in the log, as the `X-Request-Id` of its response.
   * `genReqId` of `serverOptions` uses the `X-Request-Id` of the request, or creates an id. Default: `false`.
   */
  requestIds?: boolean | undefined
  /** Options of `GET /ready`, with which load balancers check the server. `false` = none. Default: `false`. */
  readiness?: ReadinessOptions | false | undefined
  /**
   * Ends connections some time after the server begins to close. Otherwise a paused player would hold its stream for
   * hours. `{}` for the defaults, `false` = none. Default: `false`.
   */
  shutdown?: ShutdownOptions | false | undefined
  /**
   * Protects the server: security headers, compression, limits of requests, connections, wrong tokens and wrong logins.
   * `{}` for the defaults, `false` = none. Requires the packages `@fastify/compress`, `@fastify/helmet`,
   * `@fastify/rate-limit`, `@fastify/under-pressure`, and for `origins` `@fastify/cors`. Default: `false`.
   */
  protection?: ProtectionOptions | false | undefined
  /** Options of the file with the server's address, for `source-origin check`; `false` = none. Default: `false`. */
  runtimeFile?: RuntimeFileOptions | false | undefined
}

export const aPart: MemberRule = {
  must: 'an object of options or false', holds: value => value === false || isObject(value)
}

export const serverPartRules = {
  withoutQueries: aBoolean,
  requestIds: aBoolean,
  readiness: aPart,
  shutdown: aPart,
  protection: aPart,
  runtimeFile: aPart
} satisfies Record<keyof ServerParts, MemberRule>

const shutdownRules = optional({ timeout: milliseconds(0) })
const runtimeFileRules = { token: aText, dataDir: aText }

/** The names of the options already set, by server. */
const given = new WeakMap<object, Set<string>>()

/** @throws SOURCE_ORIGIN_ERR_ALREADY_REGISTERED */
function noteGiven ({ server }: FastifyInstance, parts: ServerParts): void {
  const known = given.get(server) ?? new Set()
  given.set(server, known)
  for (const name of Object.keys(serverPartRules) as (keyof ServerParts)[]) {
    if (!parts[name]) continue
    if (known.has(name)) throw optionGivenTwice(name)
    known.add(name)
  }
}

/** Registers the parts, in the order in which a closing server needs them. */
export async function registerServerParts (app: FastifyInstance, parts: ServerParts): Promise<void> {
  noteGiven(app, parts)
  if (parts.shutdown) validateMembers(parts.shutdown, shutdownRules, 'shutdown')
  if (parts.runtimeFile) validateMembers(parts.runtimeFile, runtimeFileRules, 'runtimeFile')
  if (parts.withoutQueries) (await import('../media/index.ts')).withoutQueries(app)
  if (parts.requestIds) await app.register(requestIds)
  // It delays the closing, so it must be registered before `endStreams`.
  if (parts.readiness) await inOption('readiness', app.register(readiness, parts.readiness))
  if (parts.shutdown) endStreams(app, parts.shutdown.timeout)
  if (parts.protection) await (await import('../protection/index.ts')).registerProtection(app, parts.protection)
  if (parts.runtimeFile) writeRuntimeFile(app, parts.runtimeFile)
}
