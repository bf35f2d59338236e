import type { FastifyInstance } from 'fastify'
import type { DoorOptions } from '../door/index.ts'
import { optionGivenTwice } from '../errors/author-errors.ts'
import { validateMembers, optional, type MemberRule } from '../options/validate-members.ts'
import { isObject } from '../options/is-object.ts'
import { aBoolean, aText, milliseconds } from '../options/member-rules.ts'
import { requestIds } from './request-ids.ts'
import { endStreams } from './end-streams.ts'
import { inOption } from './in-option.ts'
import { noteRunning } from './note-running.ts'
import { readiness, type ReadinessOptions } from './readiness.ts'

/** How a server that closes ends what is left. */
export interface EndStreamsOptions {
  /** Milliseconds that running requests have. Default: 8000. */
  timeout?: number | undefined
}

/** Where a running server notes how it is reached. */
export interface NoteRunningOptions {
  /** What callers send as their `Authorization` header. Required. */
  token: string
  /** Folder of the note, made when it is missing. Required. */
  dataDir: string
}

/**
 * What is the same for all routes of a server, those that are not the source's too. Of several sources in one server,
 * the first one has these, and it is registered before other routes.
 */
export interface ServerParts {
  /**
   * Keeps queries of URLs out of the log, as `withoutQueries` does: logins and signatures are in them. Default:
   * `false`.
   */
  withoutQueries?: boolean | undefined
  /**
   * Sends the id of each request, as it is in the log, as the `X-Request-Id` of its answer. `genReqId` of
   * `serverOptions` makes it the `X-Request-Id` of the request, or a new one. Default: `false`.
   */
  requestIds?: boolean | undefined
  /** `GET /ready`: whether a load balancer may send requests here; `false` = none. Default: `false`. */
  readiness?: ReadinessOptions | false | undefined
  /**
   * Ends connections some time after the server began to close: a player that is paused holds its stream for hours.
   * `{}` for the defaults, `false` = none. Default: `false`.
   */
  endStreams?: EndStreamsOptions | false | undefined
  /**
   * Protects the server: headers for browsers, compression, limits of requests and connections, and of wrong tokens and
   * logins. `{}` for the defaults, `false` = none. Needs the packages `@fastify/compress`, `@fastify/helmet`,
   * `@fastify/rate-limit`, `@fastify/under-pressure`, and with `origins` `@fastify/cors`. Default: `false`.
   */
  door?: DoorOptions | false | undefined
  /** Options of `noteRunning`, for `source-origin check`; `false` = none. Default: `false`. */
  noteRunning?: NoteRunningOptions | false | undefined
}

export const aPart: MemberRule = {
  must: 'an object of options or false', holds: value => value === false || isObject(value)
}

export const serverPartRules = {
  withoutQueries: aBoolean, requestIds: aBoolean, readiness: aPart, endStreams: aPart, door: aPart, noteRunning: aPart
} satisfies Record<keyof ServerParts, MemberRule>

const endStreamsRules = optional({ timeout: milliseconds(0) })
const noteRunningRules = { token: aText, dataDir: aText }

/** The options that sources of a server have. */
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

/** Registers them, in the order in which a server that closes needs them. */
export async function registerServerParts (app: FastifyInstance, parts: ServerParts): Promise<void> {
  noteGiven(app, parts)
  if (parts.endStreams) validateMembers(parts.endStreams, endStreamsRules, 'endStreams')
  if (parts.noteRunning) validateMembers(parts.noteRunning, noteRunningRules, 'noteRunning')
  if (parts.withoutQueries) (await import('../media/index.ts')).withoutQueries(app)
  if (parts.requestIds) await app.register(requestIds)
  // It delays the closing, so it comes before what ends streams.
  if (parts.readiness) await inOption('readiness', app.register(readiness, parts.readiness))
  if (parts.endStreams) endStreams(app, parts.endStreams.timeout)
  if (parts.door) await (await import('../door/index.ts')).registerDoor(app, parts.door)
  if (parts.noteRunning) noteRunning(app, parts.noteRunning)
}
