import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { PlaylistSortOption, QualityOption } from '../schemas/index.ts'
import { operationSchemas } from '../schemas/operation-schemas.ts'
import type { AdapterMethod, ParameterNames } from './operations.ts'

/** The schemas that a row is joined to: a missing method or parameter does not compile. */
type OperationSchemas = {
  readonly [M in AdapterMethod]: {
    readonly summary: string
    readonly parameters: TSchema & { readonly properties: Record<ParameterNames<M>[number], TSchema> }
    readonly data: TSchema
  }
}

/** A schema of an operation that the table does not have does not compile either. */
type NoForeign<T> = [Exclude<keyof T, AdapterMethod>] extends [never] ? T : never

const joined: NoForeign<typeof operationSchemas> = operationSchemas satisfies OperationSchemas

/** Summary, parameters and data of an operation, for code that walks the table. */
export const schemasOf = (method: AdapterMethod): { summary: string, parameters: TObject, data: TSchema } => joined[method]

/** The names in order as a tuple of their types; optional parameters come last and may be left out. */
type Arguments<Names extends readonly unknown[], Values> =
  Names extends readonly [infer Name extends keyof Values, ...infer Rest]
    ? undefined extends Values[Name]
      ? [Values[Name]?, ...Arguments<Rest, Values>]
      : [Values[Name], ...Arguments<Rest, Values>]
    : []

type AdapterMethods = {
  [M in AdapterMethod]?: (
    ...args: Arguments<ParameterNames<M>, Static<typeof operationSchemas[M]['parameters']>>
  ) => Static<typeof operationSchemas[M]['data']> | Promise<Static<typeof operationSchemas[M]['data']>>
}

/**
 * What a source project writes. Every method is optional: one that is missing answers 501 and is not declared.
 * Arguments come in the order of the operations table, defaults filled in; an optional one that is absent is `undefined`.
 * Methods are called on the adapter (`this`). They throw the classes of `errors`, or any error with a `status` or `statusCode`.
 *
 * @see protocol.md, Operations
 */
export interface SourceAdapter extends AdapterMethods {}

/** What `resolveContext` gives for one request (protocol.md, Context). */
export interface SourceContext {
  adapter: SourceAdapter
  /** `true` by default; only `false` makes the source stateful: then there is an account behind it. */
  stateless?: boolean
  /** Qualities that `getTrackUrl` may be asked for; without it any string passes. */
  qualityMap?: readonly QualityOption[]
  /** Orders that `getPlaylistDetail` may be asked for; without it any string passes. */
  playlistSortOptions?: readonly PlaylistSortOption[]
  /** For the log. */
  accountName?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The context of an authorised `/v1` request, `null` elsewhere. */
    sourceContext: SourceContext | null
  }
}

/** What `resolveContext` gets. */
export interface ContextRequest {
  /** The `Authorization` header as it came, `undefined` without one. */
  readonly authorization: string | undefined
  readonly request: FastifyRequest
  /** Aborted when the client hangs up or the time-out has passed. */
  readonly signal: AbortSignal
}

/**
 * Finds the context of a request, or rejects it with `null` (401). Runs once for every `/v1` request except the redirects.
 *
 * @see protocol.md, Context
 */
export type ResolveContext = (request: ContextRequest) => SourceContext | null | Promise<SourceContext | null>
